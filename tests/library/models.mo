package LibraryTests "Small systems made of components, with known answers"
  import Vincolo.Electrical.*;
  import Sp = Vincolo.Mechanics.Spatial;
  import Pl = Vincolo.Mechanics.Planar;
  import R = Vincolo.Rotations;

  model RLC "Series resonance: i'' + R/L i' + i/(LC) = 0 from a charged capacitor"
    Resistor r(R = 0.2);
    Inductor l(L = 1, i(start = 0, fixed = true));
    Capacitor c(C = 1, v(start = 1, fixed = true));
    Ground g;
  equation
    connect(c.p, r.p);
    connect(r.n, l.p);
    connect(l.n, c.n);
    connect(c.n, g.p);
  end RLC;

  model Coupled "Two coupled inductors, one shorted: the other shows L1 (1 - k^2)"
    ConstantVoltage s(V = 1);
    CoupledInductors k(L1 = 2, L2 = 3, k = 0.5, i1(start = 0, fixed = true), i2(start = 0, fixed = true));
    Ground g;
  equation
    connect(s.p, k.p1);
    connect(s.n, k.n1);
    connect(k.p2, k.n2);
    connect(s.n, g.p);
    connect(k.n2, g.p);
  end Coupled;

  model Inverting "Operational amplifier with two resistors: v2 = -R2/R1 v1"
    ConstantVoltage s(V = 2);
    Resistor r1(R = 1), r2(R = 3);
    OpAmp a;
    Ground g;
    Real out = a.p2.v;
  equation
    connect(s.n, g.p);
    connect(s.p, r1.p);
    connect(r1.n, a.n1);
    connect(a.n1, r2.p);
    connect(r2.n, a.p2);
    connect(a.p1, g.p);
  end Inverting;

  model Motor "DC motor at constant voltage, no load: w -> V k/(k^2 + R d)"
    ConstantVoltage s(V = 12);
    DCMotor m(R = 2, L = 0.01, k = 0.1, J = 1e-3, d = 1e-3);
    Ground g;
  equation
    connect(s.p, m.p);
    connect(s.n, m.n);
    connect(s.n, g.p);
  end Motor;

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

  model KnifeEdge "Skate on an incline of 30 degrees, turning at 1 rad/s"
    inner Pl.World world(g = {9.81*0.5, 0});
    Pl.Body body(m = 1, J = 1, r(each fixed = true), phi(fixed = true), v(each fixed = true), w(start = 1, fixed = true));
    Pl.Skate edge;
  equation
    connect(edge.frame, body.frame[1]);
  end KnifeEdge;

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

  function wedge "Density 1000 (1 + x)"
    extends R.Density;
  algorithm
    rho := 1000*(1 + x[1]);
  end wedge;

  function uniform "Density 2"
    extends R.Density;
  algorithm
    rho := 2;
  end uniform;

  model Orientation "Each description of a rotation and back, rates against derivatives, inertia by integration"
    constant Integer sequence[12, 3] = [1, 2, 3; 1, 3, 2; 2, 1, 3; 2, 3, 1; 3, 1, 2; 3, 2, 1; 1, 2, 1; 1, 3, 1; 2, 1, 2; 2, 3, 2; 3, 1, 3; 3, 2, 3];
    parameter Real a[3] = {0.3, 0.7, -0.4};
    Real euler[12] "angles that come back";
    Real rate[12] "angular velocity from the rates of the angles, against the axial vector of R'R";
    Real b[3] = {sin(time), 0.5 + time^2, 0.3*cos(2*time)};
    Real Rt[12, 3, 3], n[3], phi, axis, quaternion, q[4], body[3], fromQ, locked, lock2;
    R.Solid w = R.integrate(function wedge(), {0, 0, 0}, {1, 2, 3}, 2);
    R.Solid s = R.integrate(function uniform(), {0, 0, 0}, {1, 2, 3}, 1);
    Real parallel, aboutX, homogeneous;
  equation
    for i in 1:12 loop
      euler[i] = max(abs(R.toEuler(sequence[i, :], R.fromEuler(sequence[i, :], a)) - a));
      Rt[i, :, :] = R.fromEuler(sequence[i, :], b);
      rate[i] = max(abs(R.axial(transpose(Rt[i, :, :])*der(Rt[i, :, :])) - R.eulerRates(sequence[i, :], b)*der(b)));
    end for;
    (n, phi) = R.toAxisAngle(Rt[1, :, :]);
    axis = max(abs(R.fromAxisAngle(n, phi) - Rt[1, :, :]));
    q = R.quaternion({1, 2, 2}/3, time);
    quaternion = max(abs(R.toQuaternion(R.fromQuaternion(q)) - q));
    body = R.angularVelocityQuaternion(q, der(q));
    fromQ = max(abs(body - {1, 2, 2}/3));
    locked = R.gimbal({3, 1, 3}, {0.2, 0, 0.1});
    lock2 = R.gimbal({3, 2, 1}, {0.2, R.pi/2, 0.1});
    // about a corner of the block by the parallel-axis theorem, against the triple integral m/3 (b^2 + c^2)
    parallel = R.aboutAxis(R.parallelAxis(s.J, s.m, s.c), {1, 0, 0}) - 12/3*(4 + 9);
    aboutX = R.aboutAxis(s.J, {1, 0, 0}) - R.aboutAxis(R.box(12, {1, 2, 3}), {1, 0, 0});
    homogeneous = max(abs(R.homogeneous(Rt[2, :, :], a)*R.inverse(R.homogeneous(Rt[2, :, :], a)) - identity(4)));
  end Orientation;

  model Lecture "Rotations with published numbers: axis and angle, Euler angles, lock, homogeneous transformation"
    Real A[3, 3] = R.fromAxisAngle({1, 2, 2}/3, R.pi/3), q[4] = R.quaternion({1, 2, 2}/3, R.pi/3);
    Real B[3, 3] = R.fromAxisAngle({0, 0.6, -0.8}, 1);
    Real xyz[3, 3] = R.fromEuler({1, 2, 3}, {0.1, 0.2, 0.3}), zyx[3, 3] = R.fromEuler({3, 2, 1}, {0.3, 0.2, 0.1});
    Real M[3, 3] = R.fromEuler({1, 2, 3}, {0.1, 0.2, 0.3})*R.eulerRates({1, 2, 3}, {0.1, 0.2, 0.3}) "world angular velocity from rates of angles";
    Real determinant = R.gimbal({1, 2, 3}, {0.1, 0.2, 0.3});
    Real lock = max(abs(R.fromEuler({1, 2, 3}, {0.3, R.pi/2, 0.4}) - R.fromEuler({1, 2, 3}, {0.7, R.pi/2, 0})));
    Real H[4, 4] = R.homogeneous(R.about(3, R.pi/6), {1, 2, 3}), moved[3] = R.transform(H, {4, 5, 6}), back[4, 4] = R.inverse(H);
  end Lecture;

  model Warming "Stirred volume: a warm and a salty stream in, the mixture out; T -> 303.15 K, c -> 0.05"
    Vincolo.Balance.ControlVolume v(n = 3, m = {1, 1, -2}, Tin = {313.15, 293.15, 0}, cin = {0, 0.1, 0}, Q = 0,
      M(start = 10, fixed = true), T(start = 293.15, fixed = true), c(start = 0, fixed = true));
  end Warming;

  model FreeTop "Newton-Euler without load, J = diag(1, 2, 3)"
    inner Sp.World world(g = zeros(3));
    Sp.Body top(m = 1, J = diagonal({1, 2, 3}), r(each fixed = true), v(each fixed = true), p(each fixed = true),
      w(start = {1, 0.5, 0.2}, each fixed = true));
  end FreeTop;

  model Frames "Velocity and acceleration of a point of a moving frame, against derivatives"
    Real q[4] = R.quaternion({2, 3, 6}/7, sin(time));
    Real o[3] = {time, time^2, sin(time)}, s[3] = {cos(time), 1, time};
    Real Rm[3, 3] = R.fromQuaternion(q);
    Real w[3], x[3], v[3], acceleration[3], velocityError, accelerationError;
  equation
    w = Rm*R.angularVelocityQuaternion(q, der(q));
    x = o + Rm*s;
    v = der(x);
    acceleration = der(v);
    velocityError = max(abs(R.pointVelocity(der(o), w, Rm*s, Rm*der(s)) - v));
    accelerationError = max(abs(R.pointAcceleration({0, 2, -sin(time)}, w, der(w), Rm*s, Rm*der(s), Rm*{-cos(time), 0, 0}) - acceleration));
  end Frames;

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

  model Coupling "A clutch slips until 0.5 s, sticks under a load from 1 s on, slips again from 2 s on"
    import Vincolo.Mechanics.Rotational.*;
    Inertia driving(J = 1, w(start = 10, fixed = true), phi(fixed = true)), driven(J = 1, w(fixed = true), phi(fixed = true));
    Clutch clutch(Tmax = 10, u = if time < 2 then 1 else 0.1);
    Torque load(u = if time < 1 then 0 else 4);
  equation
    connect(driving.b, clutch.a);
    connect(clutch.b, driven.a);
    connect(load.shaft, driving.a);
  end Coupling;
end LibraryTests;
