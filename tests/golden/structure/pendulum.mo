model Pendulum "index 3, states chosen while running"
  parameter Real g = 9.81, L = 1;
  Real x(start = 1), y, vx, vy, lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = L^2;
end Pendulum;
