package Planar "Planar components, alone or in pairs, against closed forms"
  import Vincolo.Mechanics.Planar.*;
  constant Real g = 9.81;

  model TwoAsOne "Two bars joined end to end without a joint swing as one of twice the length and mass"
    inner World world;
    Fixed ground;
    Revolute pivot, pivot2;
    Bar b1(r(start = {0.5, 0})), b2(r(start = {1.5, 0})), whole(m = 2, L = 2, r(start = {1, 0}));
    Real error = b2.phi - whole.phi;
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, b1.a);
    connect(b1.b, b2.a);
    connect(ground.frame, pivot2.a);
    connect(pivot2.b, whole.a);
    annotation(experiment(StopTime = 2));
  end TwoAsOne;

  model Bob "A point mass fixed to the end of a massless bar is a pendulum of length L; a second one at its pivot does nothing"
    inner World world;
    Fixed ground, ground2;
    Revolute pivot;
    Rod rod;
    Bar bar(m = 0, r(start = {0.5, 0}));
    PointMass bob(m = 2), idle, free(m = 3, r(start = {1, 0}));
    Real error[2] = bob.r - free.r;
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, bar.a);
    connect(idle.frame, bar.a);
    connect(bar.b, bob.frame);
    connect(ground2.frame, rod.a);
    connect(rod.b, free.frame);
    annotation(experiment(StopTime = 2));
  end Bob;

  model Beam "On a pin and on a slot: half the weight on either"
    inner World world;
    Fixed left, right(r = {1, 0});
    Revolute pin;
    Slot roller;
    Bar beam(m = 3, r(start = {0.5, 0}));
    Real error[3] = {pin.f[2] - 3*g/2, roller.N - 3*g/2, pin.f[1]};
  equation
    connect(left.frame, pin.a);
    connect(pin.b, beam.a);
    connect(right.frame, roller.a);
    connect(roller.b, beam.b);
  end Beam;

  model Trammel "Both ends in slots at right angles, released at 45 degrees: m L^2/6 w^2 = m g (drop of the centre)"
    inner World world;
    Fixed ground;
    Slot floor(n = {1, 0}), wall(n = {0, 1});
    Bar ladder(m = 3, L = 2, r(start = {sqrt(0.5), sqrt(0.5)}), phi(start = -Vincolo.Rotations.pi/4, fixed = true));
    Real error = ladder.w^2/10 - 3*g/20*(sqrt(0.5) - ladder.r[2]);
  equation
    connect(ground.frame, floor.a);
    connect(floor.b, ladder.b);
    connect(ground.frame, wall.a);
    connect(wall.b, ladder.a);
    annotation(experiment(StopTime = 0.5));
  end Trammel;

  model Cantilever "Clamped at one end: force m g, moment m g L/2"
    inner World world;
    Fixed wall;
    Weld clamp;
    Bar beam(m = 3, L = 2, r(start = {1, 0}));
    Real error[2] = {clamp.f[2] - 3*g, clamp.tau - 3*g};
  equation
    connect(wall.frame, clamp.a);
    connect(clamp.b, beam.a);
  end Cantilever;

  model Whirl "Turning about its end at 3 rad/s: centripetal force m w^2 L/2 towards the pivot"
    inner World world(g = {0, 0});
    Fixed ground;
    Revolute pivot;
    Bar bar(m = 2, r(start = {0.5, 0}), phi(fixed = true), w(start = 3, fixed = true));
    Real error[3] = {pivot.f[1] + 9*cos(3*time), pivot.f[2] + 9*sin(3*time), bar.phi - 3*time};
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, bar.a);
  end Whirl;

  model Torsion "Bar on a pivot with a torsion spring: phi = cos(w t), w^2 = c/(m L^2/3)"
    inner World world(g = {0, 0});
    Fixed ground;
    Revolute pivot(c = 4);
    Bar bar(m = 3, r(start = {cos(1), sin(1)}/2), phi(start = 1, fixed = true));
    Real error = bar.phi - cos(2*time);
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, bar.a);
    annotation(experiment(StopTime = 3));
  end Torsion;

  model Shuttle "Mass on a horizontal guide with a spring: s = 1 + cos 2 t; the guide carries its weight"
    inner World world;
    Fixed ground;
    Prismatic guide(c = 8, s0 = 1);
    Body mass(m = 2, r(start = {2, 0}, each fixed = true));
    Real error[2] = {guide.s - 1 - cos(2*time), guide.N - 2*g};
  equation
    connect(ground.frame, guide.a);
    connect(guide.b, mass.frame[1]);
    annotation(experiment(StopTime = 3));
  end Shuttle;

  model Driven "Torque T at the pivot of a bar: phi = T t^2/(2 m L^2/3)"
    inner World world(g = {0, 0});
    Fixed ground;
    DrivenRevolute pivot;
    Bar bar(m = 3, r(start = {0.5, 0}));
    Vincolo.Mechanics.Rotational.ConstantTorque drive(T = 2);
    Real error = bar.phi - time^2;
  equation
    connect(ground.frame, pivot.a);
    connect(pivot.b, bar.a);
    connect(drive.shaft, pivot.shaft);
  end Driven;

  model Forced "phi = t^2: torque m L^2/3 phi'' + m g L/2 cos phi"
    inner World world;
    Fixed ground;
    PrescribedAngle joint(u = time^2);
    Bar bar(m = 3, r(start = {0.5, 0}));
    Real error = joint.tau - (2 + 3*g/2*cos(time^2));
  equation
    connect(ground.frame, joint.a);
    connect(joint.b, bar.a);
  end Forced;

  model Pushed "s = sin t along an axis at 30 degrees: force m s'' + m g sin 30 along it, m g cos 30 across"
    inner World world;
    Fixed ground(phi = Vincolo.Rotations.pi/6);
    PrescribedPosition guide(u = sin(time));
    Body mass(m = 2);
    Real error[2] = {guide.F - 2*(g/2 - sin(time)), guide.N - 2*g*sqrt(0.75)};
  equation
    connect(ground.frame, guide.a);
    connect(guide.b, mass.frame[1]);
    annotation(experiment(StopTime = 3));
  end Pushed;

  model Shaken "A pivot that is carried to and fro: the pendulum follows phi'' = -3/2 (g sin phi + x'' cos phi) from hanging"
    inner World world;
    Motion carriage(u = {0.2*sin(3*time), 0}, phi = 0);
    Revolute pivot;
    Bar bar(r(start = {0, -0.5}), phi(start = -Vincolo.Rotations.pi/2, fixed = true), w(fixed = true));
    Real phi(start = 0, fixed = true), w(start = 0, fixed = true), error;
  equation
    connect(carriage.frame, pivot.a);
    connect(pivot.b, bar.a);
    der(phi) = w;
    der(w) = -1.5*(g*sin(phi) - 1.8*sin(3*time)*cos(phi));
    error = bar.phi + Vincolo.Rotations.pi/2 - phi;
    annotation(experiment(StopTime = 3));
  end Shaken;

  model Hanging "Mass on a vertical spring from its unloaded length: drop m g/c (1 - cos w t)"
    inner World world;
    Fixed ground;
    SpringDamper spring(c = 50, s0 = 1);
    PointMass mass(m = 2, r(start = {0, -1}, each fixed = true));
    Real error = mass.r[2] + 1 + 2*g/50*(1 - cos(5*time));
  equation
    connect(ground.frame, spring.a);
    connect(spring.b, mass.frame);
  end Hanging;

  model Loads "Force at the mass centre and torque: r = f t^2/(2 m), phi = T t^2/(2 J)"
    inner World world(g = {0, 0});
    Body body(m = 2, J = 0.5);
    Force push(u = {1, 2});
    Torque turn(u = 3);
    Real error[3] = {body.r[1] - time^2/4, body.r[2] - time^2/2, body.phi - 3*time^2};
  equation
    connect(push.frame, body.frame[1]);
    connect(turn.frame, body.frame[1]);
  end Loads;

  model Rest "A block on the ground sinks in by m g/c and stays"
    inner World world;
    Body brick(r(start = {0, -g*1e-5}, each fixed = true));
    Contact ground;
    Real error[3] = {ground.N - g, brick.r[1], 1e5*brick.r[2] + g};
  equation
    connect(ground.frame, brick.frame[1]);
  end Rest;

  model Slip "A block sliding at 3 m/s: friction mu m g until it stops after v/(mu g) = 0.61 s, v^2/(2 mu g) = 0.917 m on"
    inner World world;
    Body brick(r(start = {0, -g*1e-5}, each fixed = true), v(start = {3, 0}, each fixed = true));
    Contact ground(mu = 0.5, v1 = 1e-5);
    Real slowing = max(0, 3 - 0.5*g*time);
    Real error[2] = {brick.v[1] - slowing, brick.r[1] - (9 - slowing^2)/g};
  equation
    connect(ground.frame, brick.frame[1]);
  end Slip;

  model Incline "On an incline of 20 degrees, uphill at 2 m/s, mu = 0.3: stops after 0.32676 s as far up, then slides back"
    parameter Real a = Vincolo.Rotations.pi/9;
    parameter Real up = g*(sin(a) + 0.3*cos(a)), down = g*(sin(a) - 0.3*cos(a)), stop = 2/up;
    inner World world;
    PointMass brick(r(start = g*cos(a)*1e-5*{sin(a), -cos(a)}, each fixed = true), v(start = 2*{cos(a), sin(a)}, each fixed = true));
    Contact ground(n = {-sin(a), cos(a)}, mu = 0.3, v1 = 1e-7);
    Real s = brick.r*{cos(a), sin(a)};
    Real error = 0.1*(s - (if time < stop then 2*time - up*time^2/2 else 2/up - down*(time - stop)^2/2));
  equation
    connect(ground.frame, brick.frame);
    annotation(experiment(StopTime = 2));
  end Incline;

  model Bounce "Without damping the ball comes back to where it fell from, after 2 sqrt(2 h/g) and the contact"
    inner World world;
    Body ball(r(start = {0, 1}, each fixed = true));
    Contact ground(c = 1e4, d = 0);
    parameter Real w = sqrt(1e4), fall = sqrt(2/g), v = sqrt(2*g), touch = (Vincolo.Rotations.pi + 2*atan(g/(v*w)))/w;
    Real error = (ball.r[2] - (if time < fall then 1 - g*time^2/2
      elseif time < fall + touch then g/w^2*(cos(w*(time - fall)) - 1) - v/w*sin(w*(time - fall))
      else v*(time - fall - touch) - g*(time - fall - touch)^2/2));
  equation
    connect(ground.frame, ball.frame[1]);
    annotation(experiment(StopTime = 1.2));
  end Bounce;

  model Knife "A skate on an incline of 30 degrees turning at 1 rad/s: x = g/4 sin^2 t, y = g/4 (t - sin(2 t)/2)"
    inner World world(g = {g/2, 0});
    Body body(m = 1, J = 1, r(each fixed = true), phi(fixed = true), v(each fixed = true), w(start = 1, fixed = true));
    Skate edge;
    Real error[2] = {body.r[1] - g/4*sin(time)^2, body.r[2] - g/4*(time - sin(2*time)/2)};
  equation
    connect(edge.frame, body.frame[1]);
    annotation(experiment(StopTime = 5));
  end Knife;
end Planar;
