package LibraryTests "Mechanisms made of components, with values computed elsewhere"
  import Sp = Vincolo.Mechanics.Spatial;
  import Pl = Vincolo.Mechanics.Planar;
  import R = Vincolo.Rotations;

  model SliderCrank "Planar slider-crank, free running"
    inner Pl.World world;
    Pl.Fixed ground;
    Pl.Bar crank(L = 0.15, m = 0.36, J = 0.002727, r(start = {0.075, 0}), phi(start = 0, fixed = true), w(start = 150, fixed = true));
    Pl.Bar rod(L = 0.30, m = 0.151104, J = 0.0045339259, r(start = {0.3, 0}));
    Pl.Body slider(m = 0.075552, r(start = {0.45, 0}));
    Pl.Revolute j1, j2, j3;
    Pl.Prismatic guide;
  equation
    connect(ground.frame, j1.a);
    connect(j1.b, crank.a);
    connect(crank.b, j2.a);
    connect(j2.b, rod.a);
    connect(rod.b, j3.a);
    connect(j3.b, slider.frame[1]);
    connect(ground.frame, guide.a);
    connect(guide.b, slider.frame[1]);
  end SliderCrank;

  model Pendulum "Point mass on a rod, start horizontal"
    inner Pl.World world;
    Pl.Fixed ground;
    Pl.Rod rod;
    Pl.PointMass mass(r(start = {1, 0}, each fixed = true));
  equation
    connect(ground.frame, rod.a);
    connect(rod.b, mass.frame);
  end Pendulum;

  model HeavyTop "Symmetric top on a spherical joint"
    inner Sp.World world;
    Sp.Fixed ground;
    Sp.Body top(m = 15, J = diagonal({0.234375, 0.46875, 0.234375}), at = [0, -1, 0], r(start = {0, 1, 0}),
      p(each fixed = true), w(start = {0, 150, -4.61538}, each fixed = true));
    Sp.Spherical joint;
  equation
    connect(ground.frame, joint.a);
    connect(joint.b, top.frame[1]);
  end HeavyTop;

  model Rods "Two uniform thin rods on revolute joints, start horizontal"
    inner Sp.World world;
    Sp.Fixed ground;
    Sp.Bar b1(r(start = {0.5, 0, 0}), J = diagonal({1e-3, 1/12, 1/12}));
    Sp.Bar b2(r(start = {1.5, 0, 0}), J = diagonal({1e-3, 1/12, 1/12}));
    Sp.Revolute j1(n = {0, 1, 0}), j2(n = {0, 1, 0});
  equation
    connect(ground.frame, j1.a);
    connect(j1.b, b1.a);
    connect(b1.b, j2.a);
    connect(j2.b, b2.a);
  end Rods;

  model FourBar "Parallelogram of spatial joints: 20 constraints for 18 coordinates"
    inner Sp.World world(g = {0, -9.81, 0});
    Sp.Fixed g0(r = {0, 0, 0}), g1(r = {1, 0, 0});
    Sp.Bar v0(span = {0, 1, 0}, size = {0.001, 1, 0.001}, r(start = {0, 0.5, 0}), w(start = {0, 0, -1}, fixed = {false, false, true}));
    Sp.Bar v1(span = {0, 1, 0}, size = {0.001, 1, 0.001}, r(start = {1, 0.5, 0}), w(start = {0, 0, -1}));
    Sp.Bar c(span = {1, 0, 0}, size = {1, 0.001, 0.001}, r(start = {0.5, 1, 0}), v(start = {1, 0, 0}));
    Sp.Revolute j1, j2, j3, j4;
  equation
    connect(g0.frame, j1.a);
    connect(j1.b, v0.a);
    connect(v0.b, j2.a);
    connect(j2.b, c.a);
    connect(c.b, j3.a);
    connect(j3.b, v1.b);
    connect(v1.a, j4.a);
    connect(j4.b, g1.frame);
  end FourBar;

  model FreeTop "Newton-Euler without load, J = diag(1, 2, 3)"
    inner Sp.World world(g = zeros(3));
    Sp.Body top(m = 1, J = diagonal({1, 2, 3}), r(each fixed = true), v(each fixed = true), p(each fixed = true),
      w(start = {1, 0.5, 0.2}, each fixed = true));
  end FreeTop;

  model Masses "n point masses on rods in a row, start horizontal"
    parameter Integer n = 2;
    inner Pl.World world;
    Pl.Fixed ground;
    Pl.Rod rod[n];
    Pl.PointMass mass[n](r(start = {{i, 0} for i in 1:n}));
    Real x = mass[n].r[1], y = mass[n].r[2], tension = rod[1].tension;
  equation
    connect(ground.frame, rod[1].a);
    for i in 1:n loop
      connect(rod[i].b, mass[i].frame);
    end for;
    for i in 1:n - 1 loop
      connect(mass[i].frame, rod[i + 1].a);
    end for;
  end Masses;

  model Masses3
    extends Masses(n = 3);
  end Masses3;

  model PlanarRods "n uniform rods on revolute joints, start horizontal"
    parameter Integer n = 2;
    inner Pl.World world;
    Pl.Fixed ground;
    Pl.Bar bar[n](r(start = {{i - 0.5, 0} for i in 1:n}));
    Pl.Revolute joint[n];
    Real x = bar[n].b.r[1], y = bar[n].b.r[2];
  equation
    connect(ground.frame, joint[1].a);
    for i in 1:n loop
      connect(joint[i].b, bar[i].a);
    end for;
    for i in 1:n - 1 loop
      connect(bar[i].b, joint[i + 1].a);
    end for;
  end PlanarRods;

  model PlanarRods10
    extends PlanarRods(n = 10);
  end PlanarRods10;

  model Loops "n parallelograms of uniform rods in a row; every pin B starts at 1 m/s"
    parameter Integer n = 1;
    inner Pl.World world;
    Pl.Fixed ground[n + 1](r = {{i - 1, 0} for i in 1:n + 1});
    Pl.Bar vertical[n + 1](r(start = {{i - 1, 0.5} for i in 1:n + 1}), v(start = fill({0.5, 0}, n + 1)),
      each phi(start = R.pi/2), each w(start = -1), w(fixed = {i == 1 for i in 1:n + 1}));
    Pl.Bar coupler[n](r(start = {{i - 0.5, 1} for i in 1:n}), v(start = fill({1, 0}, n)));
    Pl.Revolute foot[n + 1], left[n], right[n];
    Real x = vertical[1].b.r[1], y = vertical[1].b.r[2], vx = 2*vertical[1].v[1];
  equation
    for i in 1:n + 1 loop
      connect(ground[i].frame, foot[i].a);
      connect(foot[i].b, vertical[i].a);
    end for;
    for i in 1:n loop
      connect(vertical[i].b, left[i].a);
      connect(left[i].b, coupler[i].a);
      connect(coupler[i].b, right[i].a);
      connect(right[i].b, vertical[i + 1].b);
    end for;
  end Loops;

  model Loops2
    extends Loops(n = 2);
  end Loops2;

  model Loops10
    extends Loops(n = 10);
  end Loops10;

  model Squeezer "Andrews' squeezing mechanism: seven bodies, ten pins, a spring, 0.033 N.m on the crank"
    constant Real A[2] = {-0.06934, -0.00227}, B[2] = {-0.03635, 0.03273}, C[2] = {0.014, 0.072};
    parameter Real b = -0.0617138900142764496, g = 0.455279819163070380, P = 0.222668390165885885, D = 0.487364979543842550,
      O = -0.222668390165885885, e = 1.23054744454982119 "angles at the start; that of the second body is b";
    inner Pl.World world(g = {0, 0});
    Pl.Fixed o, a(r = A), pin(r = B), hook(r = C);
    // frames, from the mass centre: where it is held, then where it holds the next one
    Pl.Body k1(m = 0.04325, J = 2.194e-6, at = [-0.00092, 0; 0.007 - 0.00092, 0], phi(start = b, fixed = true),
      r(start = 0.00092*{cos(b), sin(b)}));
    Pl.Body k2(m = 0.00365, J = 4.410e-7, at = [0.0115, 0; 0.0115 - 0.028, 0], phi(start = b), r(start = (0.007 - 0.0115)*{cos(b), sin(b)}));
    Pl.Body k3(m = 0.02373, J = 5.255e-6, at = [-0.01043, 0.01874; -0.01043, 0.01874 - 0.035; 0.02 - 0.01043, 0.01874 - 0.018],
      phi(start = g), r(start = B + R.planar(g)*{0.01043, -0.01874}));
    Pl.Body k4(m = 0.00706, J = 5.667e-7, at = [0, 0.02 - 0.01421; 0, -0.01421], phi(start = P + D),
      r(start = A + 0.04*{cos(D), sin(D)} + R.planar(P + D)*{0, -(0.02 - 0.01421)}));
    Pl.Body k5(m = 0.07050, J = 1.169e-5, at = [-0.02308, -0.00916; 0.04 - 0.02308, -0.00916], phi(start = D),
      r(start = A + R.planar(D)*{0.02308, 0.00916}));
    Pl.Body k6(m = 0.00706, J = 5.667e-7, at = [-(0.02 - 0.01421), 0; 0.01421, 0], phi(start = O + e),
      r(start = A + R.planar(e)*{0, -0.04} + R.planar(O + e)*{0.02 - 0.01421, 0}));
    Pl.Body k7(m = 0.05498, J = 1.912e-5, at = [0.00449, 0.01228; 0.00449, 0.01228 - 0.04], phi(start = e),
      r(start = A + R.planar(e)*{-0.00449, -0.01228}));
    Pl.Revolute j1, j2, j3, j4, j5, j6, j7, j8, j9, j10;
    Pl.SpringDamper spring(c = 4530, s0 = 0.07785);
    Pl.Torque drive(u = 0.033);
    Real beta = k1.phi, Theta = k2.phi - k1.phi, gamma = k3.phi, Phi = k4.phi - k5.phi, delta = k5.phi, Omega = k6.phi - k7.phi, eps = k7.phi;
  equation
    connect(drive.frame, k1.frame[1]);
    connect(o.frame, j1.a);
    connect(j1.b, k1.frame[1]);
    connect(k1.frame[2], j2.a);
    connect(j2.b, k2.frame[1]);
    connect(pin.frame, j3.a);
    connect(j3.b, k3.frame[1]);
    connect(a.frame, j4.a);
    connect(j4.b, k5.frame[1]);
    connect(a.frame, j5.a);
    connect(j5.b, k7.frame[1]);
    connect(k5.frame[2], j6.a);
    connect(j6.b, k4.frame[1]);
    connect(k7.frame[2], j7.a);
    connect(j7.b, k6.frame[1]);
    // all meet in E
    connect(k2.frame[2], j8.a);
    connect(j8.b, k3.frame[2]);
    connect(k2.frame[2], j9.a);
    connect(j9.b, k4.frame[2]);
    connect(k2.frame[2], j10.a);
    connect(j10.b, k6.frame[2]);
    connect(hook.frame, spring.a);
    connect(spring.b, k3.frame[3]);
  end Squeezer;
end LibraryTests;
