model Lorenz "Lorenz' equations; rho is varied"
  parameter Real rho = 21;
  Real x(start = 1, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true);
equation
  der(x) = 10*(y - x);
  der(y) = rho*x - y - x*z;
  der(z) = x*y - 2.666*z;
end Lorenz;
