model Free "An elastic pendulum in polar coordinates: M(q) q'' = f(q', q, t), no constraint"
  parameter Real m = 1, k = 40, l = 1, g = 9.81;
  Real r(start = 1.2, fixed = true), phi(start = 1, fixed = true) "length, and angle from the downward vertical";
  Real dr(start = 0, fixed = true), dphi(start = 0, fixed = true);
  Real x = r*sin(phi), y = -r*cos(phi);
  Real E = m/2*(dr^2 + r^2*dphi^2) + k/2*(r - l)^2 - m*g*r*cos(phi);
equation
  der(r) = dr;
  der(phi) = dphi;
  Vincolo.lagrange(q = {r, phi}, T = m/2*(dr^2 + r^2*dphi^2), V = k/2*(r - l)^2 - m*g*r*cos(phi));
  annotation(experiment(StopTime = 10, Tolerance = 1e-9));
end Free;
