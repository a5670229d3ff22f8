model Loader "a cart on a spring, two links from it and one from the wall, by the energies of points"
  parameter Real M = 2, m1 = 1.1, mm = 0.6, m2 = 0.8, g = 9.81, c = 60, l1 = 0.7, l2 = 0.9, l3 = 1.1;
  Real x(start = 0.1, fixed = true), a(start = 0.9, fixed = true), b(start = 0.5), e(start = 2);
  Real P0[2] = {x, 0};
  Real P1[2] = P0 + l1*{cos(a), sin(a)};
  Real P2[2] = P1 + l2*{cos(b), sin(b)};
  Real mid[2] = (P0 + P1)/2;
  Real tip[2] = {1.8, 0} + l3*{cos(e), sin(e)} "the end of the link from the wall";
  Real stretch = x - 0.25;
  Real lambda[2];
initial equation
  der(x) = 0.5;
  der(a) = -1;
equation
  Vincolo.lagrange(q = {x, a, b, e},
    T = M/2*(der(P0)*der(P0)) + m1/2*(der(P1)*der(P1)) + mm/2*(der(mid)*der(mid)) + m2/2*(der(P2)*der(P2)),
    V = g*(m1*P1[2] + mm*mid[2] + m2*P2[2]) + c/2*stretch^2,
    Phi = P2 - tip, lambda = lambda);
  annotation(experiment(StopTime = 1));
end Loader;
