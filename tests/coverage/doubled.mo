model Doubled "The wire of the bead, written twice"
  parameter Real m = 2 "mass", g = 9.81 "gravity";
  Real x(start = 1.2, fixed = true), y(start = -0.8, fixed = true);
  Real u(start = 0, fixed = true), v(start = 0, fixed = true);
  Real lambda[2] "multipliers";
  Real Phi = x^2/4 + y^2 - 1 "distance from the wire, in its own measure";
  Real E = m/2*(u^2 + v^2) + m*g*y "energy";
equation
  der(x) = u;
  der(y) = v;
  Vincolo.lagrange(q = {x, y}, T = m/2*(u^2 + v^2), V = m*g*y, Phi = {x^2/4 + y^2 - 1, x^2 + 4*y^2 - 4}, lambda = lambda);
  annotation(experiment(StopTime = 1));
end Doubled;
