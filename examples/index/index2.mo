model Index2 "Hessenberg form of index 2, made so that x1 = sin t, x2 = cos t, y = exp(-t)"
  Real x1(start = 0), x2(start = 1), y(start = 1);
equation
  der(x1) = x2 + x1*(y - exp(-time));
  der(x2) = -x1 + (1 + x2^2)*(y - exp(-time));
  0 = x2 - cos(time);
end Index2;
