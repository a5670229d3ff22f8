model Two "Two points: the first on a rod from the origin, the second on a stick from the first; energies through the points"
  parameter Real m = 1, g = 9.81, l = 0.7;
  Real x(start = 0.6, fixed = true), y(start = -0.8, fixed = true), b(start = 0.5, fixed = true);
  Real u(start = 0, fixed = true), v(start = 0, fixed = true), w(start = 0, fixed = true);
  Real p[2, 2] = [x, y; x + l*sin(b), y - l*cos(b)];
  Real lambda;
  Real E = m/2*(u^2 + v^2 + (u + l*cos(b)*w)^2 + (v + l*sin(b)*w)^2) + m*g*(p[1, 2] + p[2, 2]);
equation
  der(x) = u;
  der(y) = v;
  der(b) = w;
  Vincolo.lagrange(q = {x, y, b}, T = sum(m/2*(der(p[i, :])*der(p[i, :])) for i in 1:2),
    V = sum(m*g*p[i, 2] for i in 1:2), Phi = x^2 + y^2 - 1, lambda = lambda);
  annotation(experiment(StopTime = 1));
end Two;
