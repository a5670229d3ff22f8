package Mechanisms "Benchmarks made of components beside the same systems in minimal coordinates"
  import Pl = Vincolo.Mechanics.Planar;
  import Sp = Vincolo.Mechanics.Spatial;
  import R = Vincolo.Rotations;
  constant Real g = 9.81;

  model Sleigh "Chaplygin's sleigh, mass centre 0.2 ahead of the knife edge: u' = a w^2, (J + m a^2) w' = -m a u w"
    inner Pl.World world(g = {0, 0});
    Pl.Body body(m = 1, J = 0.1, at = [-0.2, 0], r(start = {0.2, 0}, each fixed = true), phi(start = 0, fixed = true),
      v(start = {1, 0.4}, fixed = {true, false}), w(start = 2, fixed = true));
    Pl.Skate edge;
    Real u(start = 1, fixed = true), w(start = 2, fixed = true), phi(start = 0, fixed = true);
    Real x(start = 0, fixed = true), y(start = 0, fixed = true), error[4];
  equation
    connect(edge.frame, body.frame[1]);
    der(u) = 0.2*w^2;
    0.14*der(w) = -0.2*u*w;
    der(phi) = w;
    der(x) = u*cos(phi);
    der(y) = u*sin(phi);
    error = {body.phi - phi, body.frame[1].r[1] - x, body.frame[1].r[2] - y, body.w - w};
    annotation(experiment(StopTime = 5));
  end Sleigh;

  model CartPole "Cart of 1 mg, mass of 1 kg on a rod: two coordinates, eleven narrow peaks of the rate, where the cart moves at 4.4 km/s"
    inner Pl.World world;
    Pl.Fixed ground;
    Pl.Body cart(m = 1e-6, J = 1, r(each fixed = true));
    Pl.Prismatic rail;
    Pl.Rod rod;
    Pl.PointMass tip(r(start = {1, 0}));
    Real q[2](start = {0, R.pi/2}, each fixed = true), error[3];
  equation
    connect(ground.frame, rail.a);
    connect(rail.b, cart.frame[1]);
    connect(cart.frame[1], rod.a);
    connect(rod.b, tip.frame);
    Vincolo.lagrange(q = q, T = 1e-6/2*der(q[1])^2 + ((der(q[1]) + cos(q[2])*der(q[2]))^2 + (sin(q[2])*der(q[2]))^2)/2, V = -g*cos(q[2]));
    error = {(cart.r[1] - q[1])/10, tip.r[1] - q[1] - sin(q[2]), tip.r[2] + cos(q[2])};
    annotation(experiment(StopTime = 10));
  end CartPole;

  model SliderCrank "Spatial slider-crank: T + V = E gives the rate of the crank at every angle"
    inner Sp.World world;
    parameter Real a[3] = {0, 0.1, 0.2} "crank pin", b[3] = {0.2, 0, 0} "slider";
    parameter Real e1[3] = (b - a)/0.3, e2[3] = {0, 2, -1}/sqrt(5), e3[3] = cross(e1, e2), q[4] = R.toQuaternion([e1, e2, e3]);
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
    // crank angle, and what follows from it: pin, slider, axes of the rod
    Real theta(start = 0, fixed = true), w(start = 6, fixed = true), E, c[3], x, f1[3], f2[3], f3[3], turn[3], middle[3], T, V, error[3];
  equation
    connect(pivot.frame, drive.a);
    connect(drive.b, crank.frame[1]);
    connect(crank.frame[2], pin.a);
    connect(pin.b, rod.frame[1]);
    connect(slider.frame[1], hooke.a);
    connect(hooke.b, rod.frame[2]);
    connect(ground.frame, guide.a);
    connect(guide.b, slider.frame[1]);
    der(theta) = w;
    c = {0, 0.1 - 0.08*sin(theta), 0.12 + 0.08*cos(theta)};
    x = sqrt(0.09 - c[2]^2 - c[3]^2);
    f1 = ({x, 0, 0} - c)/0.3;
    f2 = {0, -f1[3], f1[2]}/sqrt(f1[2]^2 + f1[3]^2);
    f3 = cross(f1, f2);
    turn = {f3*der(f2), f1*der(f3), f2*der(f1)} "angular velocity in the axes of the rod";
    middle = ({x, 0, 0} + c)/2;
    T = (1e-4 + 0.12*0.04^2)*w^2/2 + 0.5*(der(middle)*der(middle))/2 + turn*diagonal({4e-4, 4e-3, 4e-3})*turn/2 + 2*der(x)^2/2;
    V = g*(0.12*(0.12 + 0.04*cos(theta)) + 0.5*middle[3]);
    T + V = E;
    der(E) = 0;
    error = {slider.r[1] - x, slider.v[1] - der(x), (crank.w[1] - w)/10};
    annotation(experiment(StopTime = 5));
  end SliderCrank;

  model Governor "Stiff flyball governor: angle of the shaft, angle of the arms, height of the slider"
    parameter Real alpha0 = R.pi/6, w0 = 2*R.pi, ma = 5.3 "arm and ball", c = (0.3*0.5 + 5*1)/5.3 "mass centre from the pin";
    parameter Real Ja = 0.3/12 + 0.3*(c - 0.5)^2 + 5*(1 - c)^2 "across the arm", Jx = 0.3*0.01^2/6;
    inner Sp.World world;
    Sp.Fixed ground;
    Sp.Revolute bearing(n = {0, 0, 1});
    Sp.Body shaft(m = 0.3, J = R.box(0.3, {0.01, 0.01, 1}), at = [0, 0, -0.5; 0.05, 0, 0.5; -0.05, 0, 0.5],
      r(start = {0, 0, 0.5}), w(start = {0, 0, w0}, fixed = {false, false, true}));
    Sp.Body arm1(m = ma, J = diagonal({Jx, Ja, Ja}), at = [-c, 0, 0; 0.5 - c, 0, 0], p(start = R.quaternion({0, 1, 0}, alpha0)),
      r(start = {0.05 + c*cos(alpha0), 0, 1 - c*sin(alpha0)}), v(start = {0, w0*(0.05 + c*cos(alpha0)), 0}));
    Sp.Body arm2(m = ma, J = diagonal({Jx, Ja, Ja}), at = [-c, 0, 0; 0.5 - c, 0, 0], p(start = {0, -sin(alpha0/2), 0, cos(alpha0/2)}),
      r(start = {-0.05 - c*cos(alpha0), 0, 1 - c*sin(alpha0)}), v(start = {0, -w0*(0.05 + c*cos(alpha0)), 0}));
    Sp.Revolute pin1(n = {0, 1, 0}), pin2(n = {0, 1, 0}, nb = {0, -1, 0});
    Sp.Body slider(m = 3, J = R.box(3, {0.1, 0.1, 0.1}), at = [0, 0, 0; 0.05, 0, 0; -0.05, 0, 0], r(start = {0, 0, 0.5}));
    Sp.Prismatic guide(n = {0, 0, 1});
    Sp.SpringDamper s1(c = 8e5, d = 4e4, s0 = 0.5, length(start = 0.5)), s2(c = 8e5, d = 4e4, s0 = 0.5, length(start = 0.5));
    Real q[3](start = {0, alpha0, 0.5}, each fixed = true) "shaft, arms, slider", w(start = w0, fixed = true), l, h, rate, error[3];
  equation
    connect(ground.frame, bearing.a);
    connect(bearing.b, shaft.frame[1]);
    connect(shaft.frame[2], pin1.a);
    connect(pin1.b, arm1.frame[1]);
    connect(shaft.frame[3], pin2.a);
    connect(pin2.b, arm2.frame[1]);
    connect(shaft.frame[1], guide.a);
    connect(guide.b, slider.frame[1]);
    connect(slider.frame[2], s1.a);
    connect(s1.b, arm1.frame[2]);
    connect(slider.frame[3], s2.a);
    connect(s2.b, arm2.frame[2]);
    w = der(q[1]);
    h = 1 - sin(q[2])/2 - q[3];
    l = sqrt(cos(q[2])^2/4 + h^2) "of a spring";
    rate = -cos(q[2])*(1 - q[3])/(2*l)*der(q[2]) - h/l*der(q[3]);
    Vincolo.lagrange(q = q,
      T = (5e-6 + 5e-3)*der(q[1])^2/2 + 3*der(q[3])^2/2
        + ma*((0.05 + c*cos(q[2]))^2*der(q[1])^2 + c^2*der(q[2])^2) + Ja*der(q[2])^2 + (Jx*sin(q[2])^2 + Ja*cos(q[2])^2)*der(q[1])^2,
      V = g*(3*q[3] - 2*ma*c*sin(q[2])) + 8e5*(sqrt(cos(q[2])^2/4 + (1 - sin(q[2])/2 - q[3])^2) - 0.5)^2,
      Q = {0, 8e4*rate*cos(q[2])*(1 - q[3])/(2*l), 8e4*rate*h/l});
    error = {guide.s - q[3], (shaft.w[3] - w)/10, arm1.r[3] - (1 - c*sin(q[2]))};
    annotation(experiment(StopTime = 10));
  end Governor;

  model Disc "Leaning disc that rolls: Euler's equations in the frame that leans and turns with it but does not spin"
    parameter Real lean = 0.2, r = 0.5, I1 = r^2/4, I3 = r^2/2;
    inner Sp.World world;
    Sp.RollingDisc disc(m = 1, R = r, r(start = {0, r*sin(lean), r*cos(lean)}),
      p(start = R.toQuaternion([1, 0, 0; 0, sin(lean), -cos(lean); 0, cos(lean), sin(lean)]), each fixed = true),
      w(start = {0, 0, -10}, each fixed = true));
    Real b(start = lean, fixed = true) "lean", psi(start = 0, fixed = true) "heading", w[3](start = {0, 0, -10}, each fixed = true);
    Real x(start = 0, fixed = true), y(start = 0, fixed = true), W "of the frame about the disc's axis", error[4];
  equation
    der(b) = -w[1];
    der(psi) = w[2]/cos(b);
    W = w[2]*tan(b);
    I1*der(w[1]) + I3*w[2]*w[3] - I1*W*w[2] = -r*(r*der(w[1]) + r*w[2]*w[3] + g*sin(b));
    I1*der(w[2]) + I1*W*w[1] - I3*w[1]*w[3] = 0;
    I3*der(w[3]) = r*(-r*der(w[3]) + r*w[1]*w[2]);
    der(x) = -r*(w[3] - W)*cos(psi);
    der(y) = -r*(w[3] - W)*sin(psi);
    error = {disc.contact[1] - x, disc.contact[2] - y, disc.r[3] - r*cos(b), (disc.energy - g*r*cos(lean))/10 - (I3 + r^2)*5};
    annotation(experiment(StopTime = 5));
  end Disc;
end Mechanisms;
