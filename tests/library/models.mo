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

  model Sleigh "Chaplygin sleigh: mass centre 0.2 ahead of the knife edge"
    inner Pl.World world(g = {0, 0});
    Pl.Body body(m = 1, J = 0.1, at = [-0.2, 0], r(start = {0.2, 0}, each fixed = true), phi(start = 0, fixed = true),
      v(start = {1, 0.4}, fixed = {true, false}), w(start = 2, fixed = true));
    Pl.Skate edge;
  equation
    connect(edge.frame, body.frame[1]);
  end Sleigh;

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

  model CartPole "Cart of 1 mg on a rail, mass of 1 kg on a rod, start with the rod horizontal"
    inner Pl.World world;
    Pl.Fixed ground;
    Pl.Body cart(m = 1e-6, J = 1, r(each fixed = true));
    Pl.Prismatic rail;
    Pl.Rod rod;
    Pl.PointMass tip(r(start = {1, 0}));
  equation
    connect(ground.frame, rail.a);
    connect(rail.b, cart.frame[1]);
    connect(cart.frame[1], rod.a);
    connect(rod.b, tip.frame);
  end CartPole;

  model SpatialSliderCrank "Crank about x, spherical joint, rod, Hooke joint, slider along x"
    inner Sp.World world;
    parameter Real a[3] = {0, 0.1, 0.2} "crank pin", b[3] = {0.2, 0, 0} "slider";
    parameter Real e1[3] = (b - a)/0.3, e2[3] = {0, 2, -1}/sqrt(5), e3[3] = cross(e1, e2);
    parameter Real q[4] = R.toQuaternion([e1, e2, e3]);
    Sp.Fixed pivot(r = {0, 0.1, 0.12}), ground;
    Sp.Body crank(m = 0.12, J = diagonal({1e-4, 1e-4, 1e-5}), at = [0, 0, -0.04; 0, 0, 0.04], r(start = {0, 0.1, 0.16}),
      w(start = {6, 0, 0}, fixed = {true, false, false}));
    Sp.Body rod(m = 0.5, J = diagonal({4e-4, 4e-3, 4e-3}), at = [-0.15, 0, 0; 0.15, 0, 0], r(start = (a + b)/2),
      p(start = q), v(start = {0.12, -0.24, 0}), w(start = transpose([e1, e2, e3])*{1.92, -0.96, 0.48}));
    Sp.Body slider(m = 2, r(start = b), v(start = {0.24, 0, 0}));
    Sp.Revolute drive(n = {1, 0, 0});
    Sp.Spherical pin;
    Sp.Universal hooke(na = {1, 0, 0}, nb = {0, 1, 0});
    Sp.Prismatic guide(n = {1, 0, 0});
  equation
    connect(pivot.frame, drive.a);
    connect(drive.b, crank.frame[1]);
    connect(crank.frame[2], pin.a);
    connect(pin.b, rod.frame[1]);
    connect(slider.frame[1], hooke.a);
    connect(hooke.b, rod.frame[2]);
    connect(ground.frame, guide.a);
    connect(guide.b, slider.frame[1]);
  end SpatialSliderCrank;
end LibraryTests;
