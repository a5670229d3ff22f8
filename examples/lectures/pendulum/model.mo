model Pendulum "Point mass on a rigid rod in redundant coordinates, from T, V and Phi"
  parameter Real m = 1 "mass";
  parameter Real g = 9.81 "gravity";
  parameter Real r = 1 "length of the rod";
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
  Real u(start = 0, fixed = true), v(start = 0, fixed = true);
  Real lambda;
  Real mu = -2*lambda/m "multiplier per mass, the sign of the acceleration";
  Real Phi = x^2 + y^2 - r^2 "violation of the constraint";
  Real dPhi = 2*(x*u + y*v) "and of its derivative";
  Real E = m/2*(u^2 + v^2) + m*g*y "energy";
equation
  der(x) = u;
  der(y) = v;
  Vincolo.lagrange(q = {x, y}, T = m/2*(u^2 + v^2), V = m*g*y, Phi = x^2 + y^2 - r^2, lambda = lambda);
  annotation(experiment(StopTime = 5));
end Pendulum;
