package Spatial "Spatial components, alone or in pairs, against closed forms"
  import Vincolo.Mechanics.Spatial.*;
  import Vincolo.Rotations.{quaternion, about, toQuaternion, pi};
  constant Real g = 9.81;

  model TwoAsOne "Two bars joined end to end without a joint swing as one of twice the length and mass"
    inner World world;
    Fixed ground;
    Revolute pivot(n = {0, 1, 0}), pivot2(n = {0, 1, 0});
    Bar b1(r(start = {0.5, 0, 0}), size = {1, 0, 0}), b2(r(start = {1.5, 0, 0}), size = {1, 0, 0});
    Bar whole(m = 2, span = {2, 0, 0}, size = {2, 0, 0}, r(start = {1, 0, 0}));
    Real error[3] = b2.r - 1.5*whole.r;
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, b1.a);
    connect(b1.b, b2.a);
    connect(ground.frame, pivot2.a);
    connect(pivot2.b, whole.a);
    annotation(experiment(StopTime = 2));
  end TwoAsOne;

  model Bob "Point masses fixed to the end of a bar add to its inertia: w' = g (m/2 + M)/(m/3 + M) when horizontal"
    inner World world;
    Fixed ground;
    Revolute pivot(n = {0, 1, 0});
    Bar bar(r(start = {0.5, 0, 0}), size = {1, 0, 0}, m = 3);
    PointMass one(m = 2), two(m = 0.5);
    Real error = (bar.w[2]^2 + 2*g*(1.5 + 2.5)/(1 + 2.5)*one.r[3])/20;
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, bar.a);
    connect(bar.b, one.frame);
    connect(bar.b, two.frame);
    annotation(experiment(StopTime = 2));
  end Bob;

  model Clamped "A bar fixed to the wall without a joint: the wall carries its weight and the moment m g L/2"
    inner World world;
    Fixed wall;
    Bar beam(m = 3, span = {2, 0, 0}, r(start = {1, 0, 0}));
    Real error[2] = {beam.a.f[3] - 3*g, beam.a.tau[3]/2 + 3*g};
  equation
    connect(wall.frame, beam.a);
  end Clamped;

  model Cylinder "Down an axis inclined by 30 degrees: s = g sin 30 t^2/2, the spin stays"
    parameter Real n[3] = {sqrt(0.75), 0, -0.5};
    inner World world;
    Fixed ground;
    Cylindrical joint(n = n);
    Body body(w(start = 2*n, each fixed = true), J = identity(3));
    Real error[2] = {joint.s - g/4*time^2, joint.w - 2};
  equation
    connect(ground.frame, joint.a);
    connect(joint.b, body.frame[1]);
  end Cylinder;

  model Nut "Under its own weight on a vertical screw: s'' = -g/(1 + J/m (2 pi/lead)^2)"
    inner World world;
    Fixed ground;
    Screw joint(lead = 0.5);
    Body nut(m = 2, J = diagonal({0.1, 0.1, 0.02}));
    Real error = joint.s + g*time^2/2/(1 + 0.01*(4*pi)^2);
  equation
    connect(ground.frame, joint.a);
    connect(joint.b, nut.frame[1]);
  end Nut;

  model Shuttle "On a horizontal guide with a spring, 0.3 m off its line: s = 1 + cos 2 t; weight and moment on the guide"
    inner World world;
    Fixed ground;
    Prismatic guide(n = {1, 0, 0}, c = 8, s0 = 1);
    Body mass(m = 2, at = [0, -0.3, 0], r(start = {2, 0.3, 0}, fixed = {true, false, false}));
    Real error[3] = {guide.s - 1 - cos(2*time), guide.f[3] - 2*g, guide.t[1] - 2*g*0.3};
  equation
    connect(ground.frame, guide.a);
    connect(guide.b, mass.frame[1]);
    annotation(experiment(StopTime = 3));
  end Shuttle;

  model Cardan "Two shafts under the angle b: w2 = w1 cos b/(1 - sin^2 b sin^2 phi1)"
    parameter Real b = 0.5;
    inner World world(g = zeros(3));
    Fixed input_, output_(p = quaternion({0, 1, 0}, -b));
    PrescribedRevolute drive(n = {1, 0, 0}, u = 2*time);
    Cylindrical bearing(n = {1, 0, 0});
    Universal joint(na = {0, 1, 0}, nb = {0, 0, 1});
    Body first, second(p(start = quaternion({0, 1, 0}, -b)));
    Real error = second.w[1] - 2*cos(b)/(1 - sin(b)^2*sin(2*time)^2);
  equation
    connect(input_.frame, drive.a);
    connect(drive.b, first.frame[1]);
    connect(first.frame[1], joint.a);
    connect(joint.b, second.frame[1]);
    connect(output_.frame, bearing.a);
    connect(bearing.b, second.frame[1]);
    annotation(experiment(StopTime = 2));
  end Cardan;

  model Cantilever "A bar clamped by a weld: force m g, moment m g L/2"
    inner World world;
    Fixed wall;
    Weld clamp;
    Bar beam(m = 3, span = {2, 0, 0}, r(start = {1, 0, 0}));
    Real error[2] = {clamp.f[3] - 3*g, clamp.t[2] + 3*g};
  equation
    connect(wall.frame, clamp.a);
    connect(clamp.b, beam.a);
  end Cantilever;

  model Conical "Mass on a rod going round at the angle a: w^2 = g/(L cos a), tension m g/cos a"
    parameter Real a = 0.6, w = sqrt(g/cos(a));
    inner World world;
    Fixed ground;
    Rod rod;
    PointMass mass(m = 2, r(start = {sin(a), 0, -cos(a)}, each fixed = true), v(start = {0, w*sin(a), 0}, each fixed = true));
    Real error[3] = {rod.tension - 2*g/cos(a), mass.r[1] - sin(a)*cos(w*time), mass.r[3] + cos(a)};
  equation
    connect(ground.frame, rod.a);
    connect(rod.b, mass.frame);
    annotation(experiment(StopTime = 2));
  end Conical;

  model Ball "A body hanging on a ball joint and turned about the vertical: it carries m g, and no torque"
    inner World world;
    Fixed ground;
    Spherical joint;
    Body body(m = 2, at = [0, 0, 1], r(start = {0, 0, -1}), w(start = {0, 0, 3}, each fixed = true));
    Real error[3] = {joint.f[3] - 2*g, joint.t*joint.t, body.w[3] - 3};
  equation
    connect(ground.frame, joint.a);
    connect(joint.b, body.frame[1]);
  end Ball;

  model Rotor "A disc askew on a shaft turning at w: its bearing gives the moment (Jz - Jx) w^2 sin a cos a"
    parameter Real a = 0.3, w = 10, R[3, 3] = about(2, a);
    inner World world(g = zeros(3));
    Fixed ground;
    Revolute bearing(n = {0, 0, 1});
    Body disc(J = R*diagonal({1, 1, 2})*transpose(R), w(start = {0, 0, w}, fixed = {false, false, true}));
    Real error = (sqrt(bearing.t*bearing.t) - w^2*sin(a)*cos(a))/100;
  equation
    connect(ground.frame, bearing.a);
    connect(bearing.b, disc.frame[1]);
  end Rotor;

  model Driven "Torque T at the shaft of a bar's pivot: phi = T t^2/(2 m L^2/3)"
    inner World world(g = zeros(3));
    Fixed ground;
    DrivenRevolute pivot(n = {0, 1, 0}, shaft(phi(start = 0, fixed = true)));
    Bar bar(m = 3, size = {1, 0, 0}, r(start = {0.5, 0, 0}));
    Vincolo.Mechanics.Rotational.ConstantTorque drive(T = 2);
    Real error = pivot.shaft.phi - time^2;
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, bar.a);
    connect(drive.shaft, pivot.shaft);
  end Driven;

  model Forced "Angle t^2 against gravity, beyond a whole turn: torque m L^2/3 phi'' + m g L/2 cos phi"
    inner World world;
    Fixed ground;
    PrescribedRevolute joint(n = {0, -1, 0}, u = time^2);
    Bar bar(m = 3, size = {1, 0, 0}, r(start = {0.5, 0, 0}));
    Real error = joint.t*joint.axis - (2 + 3*g/2*cos(time^2));
  equation
    connect(ground.frame, joint.a);
    connect(joint.b, bar.a);
    annotation(experiment(StopTime = 3));
  end Forced;

  model Pushed "s = sin t up an axis at 30 degrees: force m s'' + m g sin 30 along it"
    inner World world;
    Fixed ground;
    PrescribedPosition guide(n = {sqrt(0.75), 0, 0.5}, u = sin(time));
    Body mass(m = 2);
    Real error = guide.f*guide.axis - 2*(g/2 - sin(time));
  equation
    connect(ground.frame, guide.a);
    connect(guide.b, mass.frame[1]);
    annotation(experiment(StopTime = 3));
  end Pushed;

  model Shaken "A pivot carried to and fro: the pendulum follows phi'' = -3/2 (g sin phi + x'' cos phi) from hanging"
    inner World world;
    Motion carriage(u = {0.2*sin(3*time), 0, 0}, p = {1, 0, 0, 0});
    Revolute pivot(n = {0, 1, 0});
    Bar bar(span = {0, 0, -1}, size = {0, 0, 1}, r(start = {0, 0, -0.5}), w(fixed = {false, true, false}));
    Real phi(start = 0, fixed = true), w(start = 0, fixed = true), error;
  equation
    connect(carriage.frame, pivot.a);
    connect(pivot.b, bar.a);
    der(phi) = w;
    der(w) = -1.5*(g*sin(phi) - 1.8*sin(3*time)*cos(phi));
    error = bar.r[1] - 0.2*sin(3*time) - sin(phi)/2;
    annotation(experiment(StopTime = 3));
  end Shaken;

  model Hanging "Mass on a vertical spring from its unloaded length: drop m g/c (1 - cos w t)"
    inner World world;
    Fixed ground;
    SpringDamper spring(c = 50, s0 = 1);
    PointMass mass(m = 2, r(start = {0, 0, -1}, each fixed = true));
    Real error = mass.r[3] + 1 + 2*g/50*(1 - cos(5*time));
  equation
    connect(ground.frame, spring.a);
    connect(spring.b, mass.frame);
  end Hanging;

  model Loads "Force at the mass centre and torque about an axis of inertia: r = f t^2/(2 m), w = T t/J"
    inner World world(g = zeros(3));
    Body body(m = 2, J = diagonal({0.5, 1, 2}));
    Force push(u = {1, 2, 3});
    Torque turn(u = {3, 0, 0});
    Real error[4] = cat(1, body.r - {1, 2, 3}*time^2/4, {body.w[1] - 6*time});
  equation
    connect(push.frame, body.frame[1]);
    connect(turn.frame, body.frame[1]);
  end Loads;

  model Slip "A block sliding at 3 m/s: friction mu m g until it stops after v^2/(2 mu g) = 0.917 m"
    inner World world;
    Body brick(r(start = {0, 0, -g*1e-5}, each fixed = true), v(start = {1.8, 2.4, 0}, each fixed = true));
    Contact ground(mu = 0.5, v1 = 1e-5);
    Real slowing = max(0, 3 - 0.5*g*time);
    Real error[3] = {brick.r[1] - 0.6*(9 - slowing^2)/g, brick.r[2] - 0.8*(9 - slowing^2)/g, ground.N - g};
  equation
    connect(ground.frame, brick.frame[1]);
  end Slip;

  model Bounce "Without damping the ball comes back to where it fell from, off a plane at 45 degrees as far to the side"
    inner World world;
    PointMass ball(r(start = {0, 0, 1}, each fixed = true));
    Contact ground(n = {1, 0, 1}, c = 1e8, d = 0, mu = 0);
    Real error = ((ball.v*ball.v)/2 + g*ball.r[3] - g + ground.energy);
  equation
    connect(ground.frame, ball.frame);
    annotation(experiment(StopTime = 0.8));
  end Bounce;

  model Circle "A disc rolling round a circle at constant lean: W^2 (3/2 rho cos b + R/4 sin b cos b) = g sin b"
    parameter Real R = 0.5, b = 0.3 "lean of its plane from the vertical", rho = 1.2 "circle of its centre";
    parameter Real W = sqrt(g*sin(b)/(1.5*rho*cos(b) + R/4*sin(b)*cos(b)));
    inner World world;
    RollingDisc disc(R = R, r(start = {0, -rho, R*cos(b)}), v(start = {W*rho, 0, 0}),
      p(start = toQuaternion([1, 0, 0; 0, sin(b), -cos(b); 0, cos(b), sin(b)]), each fixed = true),
      w(start = {0, W*cos(b), -W*rho/R}, each fixed = true));
    Real error[4] = {disc.r[1] - rho*sin(W*time), disc.r[2] + rho*cos(W*time), disc.r[3] - R*cos(b), disc.f[3] - g};
    annotation(experiment(StopTime = 3));
  end Circle;
end Spatial;
