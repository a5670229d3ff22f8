model Sleigh "Chaplygin's sleigh, the mass centre above the blade: it may not slip sideways"
  parameter Real m = 2, J = 0.5;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), h(start = 0, fixed = true);
  Real lambda[1];
initial equation
  der(x) = 1;
  der(h) = 2;
equation
  Vincolo.lagrange(q = {x, y, h}, T = m/2*(der(x)^2 + der(y)^2) + J/2*der(h)^2, V = 0,
    A = [-sin(h), cos(h), 0], lambda = lambda);
  annotation(experiment(StopTime = 1));
end Sleigh;
