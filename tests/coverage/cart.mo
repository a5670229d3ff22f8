model Cart "A cart with a pendulum below it: two coordinates, no constraint"
  parameter Real M = 3, m = 1, l = 0.5, g = 9.81;
  Real s(start = 0, fixed = true), a(start = 0.6, fixed = true) "position of the cart, angle from the downward vertical";
  Real ds(start = 0, fixed = true), da(start = 0, fixed = true);
  Real px = s + l*sin(a), py = -l*cos(a) "the bob";
  Real P = (M + m)*ds + m*l*cos(a)*da "horizontal momentum";
equation
  der(s) = ds;
  der(a) = da;
  Vincolo.lagrange(q = {s, a}, T = M/2*ds^2 + m/2*(der(px)^2 + der(py)^2), V = m*g*py);
  annotation(experiment(StopTime = 2));
end Cart;
