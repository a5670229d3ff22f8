model StartConflict
  Real x(start = 0.6, fixed = true), y(start = -1, fixed = true), vx, vy, lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
end StartConflict;
