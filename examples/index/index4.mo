model Index4 "Hessenberg form of index 4: x3 is prescribed three integrations away from x4"
  Real x1, x2, x3, x4;
equation
  der(x1) = x4;
  der(x2) = x1;
  der(x3) = x2;
  0 = x3 - sin(time);
end Index4;
