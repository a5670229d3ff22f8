package Translational "Components on a line against closed forms"
  import Vincolo.Mechanics.Translational.*;
  constant Real g = 9.81;

  model Oscillator "m s'' + d s' + c s = 0 from s = 1: exp(-t/2) (cos w t + sin(w t)/(2 w)), w^2 = 4 - 1/4"
    Ground wall;
    Spring spring(c = 8);
    Damper damper(d = 2);
    Mass mass(m = 2, s(start = 1, fixed = true), v(fixed = true));
    PositionSensor position;
    SpeedSensor speed;
    parameter Real w = sqrt(3.75);
    Real x = exp(-time/2)*(cos(w*time) + sin(w*time)/(2*w)), error[2];
  equation
    connect(wall.flange, spring.a);
    connect(spring.b, mass.a);
    connect(wall.flange, damper.a);
    connect(damper.b, mass.a);
    connect(position.flange, mass.b);
    connect(speed.flange, mass.b);
    error = {position.y - x, speed.y - der(x)};
    annotation(experiment(StopTime = 3));
  end Oscillator;

  model Together "Spring and damper in one, and a sensor in between: the force is that of both"
    Ground wall;
    SpringDamper one(c = 8, d = 2);
    ForceSensor force;
    Mass mass(m = 2, s(start = 1, fixed = true), v(fixed = true));
    Real error = force.y - 8*mass.s - 2*mass.v;
  equation
    connect(mass.a, force.a);
    connect(force.b, one.b);
    connect(one.a, wall.flange);
  end Together;

  model Drag "Quadratic drag: v = v0/(1 + v0 q t/m)"
    Ground wall;
    ViscousFriction drag(d = 0, q = 2);
    Mass mass(m = 4, v(start = 3, fixed = true));
    Real error = mass.v - 3/(1 + 1.5*time);
  equation
    connect(wall.flange, drag.a);
    connect(drag.b, mass.a);
  end Drag;

  model Curve "Stribeck's curve at given speeds: f = (Fc + (Fs - Fc) exp(-(v/vs)^2)) tanh(v/v1) + d v"
    Ground wall;
    Stribeck friction(Fc = 2, Fs = 3, vs = 0.5, v1 = 1e-2, d = 0.1);
    Position drive(u = time^2/2);
    Real error = friction.f - ((2 + exp(-4*time^2))*tanh(time/1e-2) + 0.1*time);
  equation
    connect(wall.flange, friction.a);
    connect(friction.b, drive.flange);
  end Curve;

  model Incline "20 degrees, 2 m/s uphill, mu = 0.3: stops after 0.32675824996697 s, slides back; the same with friction between flanges"
    parameter Real a = 20*3.14159265358979324/180, stop = 2/(g*(sin(a) + 0.3*cos(a))), down = g*(sin(a) - 0.3*cos(a));
    ConstantForce weight(F = -g*sin(a)), weight2(F = -g*sin(a));
    MassWithFriction brick(Fc = 0.3*g*cos(a), s(fixed = true), v(start = 2, fixed = true));
    Ground slope;
    DryFriction friction(Fc = 0.3*g*cos(a));
    Mass brick2(s(fixed = true), v(start = 2, fixed = true));
    Real x = if time < stop then 2*time - time^2/stop else stop - down*(time - stop)^2/2;
    Real error[3] = {brick.s - x, brick2.s - x, stop - 0.3267582499669696};
  equation
    connect(weight.flange, brick.flange);
    connect(weight2.flange, brick2.a);
    connect(slope.flange, friction.a);
    connect(friction.b, brick2.a);
    annotation(experiment(StopTime = 2));
  end Incline;

  model Stays "20 degrees, mu = 0.5: stops after 0.25111716 s and stays; the friction that holds it is m g sin a"
    parameter Real a = 20*3.14159265358979324/180, stop = 2/(g*(sin(a) + 0.5*cos(a)));
    ConstantForce weight(F = -g*sin(a));
    MassWithFriction brick(Fc = 0.5*g*cos(a), s(fixed = true), v(start = 2, fixed = true));
    Real x = if time < stop then 2*time - time^2/stop else stop;
    Real error[2] = {brick.s - x, if time > 0.3 then -brick.friction - 3.35521760602481 else 0};
  equation
    connect(weight.flange, brick.flange);
    annotation(experiment(StopTime = 2));
  end Stays;

  model Breakaway "A force that grows by 5 N/s frees 2 kg at 10 N, t = 2; then 2 v' = 5 t - 6; the same with friction between flanges"
    MassWithFriction crate(m = 2, Fc = 6, Fs = 10, s(fixed = true), v(fixed = true));
    Force push(u = 5*time), push2(u = 5*time);
    Ground floor;
    DryFriction friction(Fc = 6, Fs = 10);
    Mass crate2(m = 2, s(fixed = true), v(fixed = true));
    Real v = if time < 2 then 0 else 1.25*time^2 - 3*time + 1;
    Real error[2] = {crate.v - v, crate2.v - v};
  equation
    connect(push.flange, crate.flange);
    connect(floor.flange, friction.a);
    connect(friction.b, crate2.a);
    connect(push2.flange, crate2.a);
    annotation(experiment(StopTime = 4));
  end Breakaway;

  model Belt "Stick-slip on a belt of 0.1 m/s: slips at t = 39.24, x = 3.924, for 3.344764464469101 s, sticks again at 1.962"
    Position belt(u = 0.1*time);
    DryFriction friction(Fc = 0.3*g, Fs = 0.4*g);
    Mass mass(s(fixed = true), v(start = 0.1, fixed = true));
    Spring spring(c = 1);
    Ground wall;
    parameter Real period = 19.62 + 3.344764464469101;
    Real x = if time < 39.24 then 0.1*time elseif time < 39.24 + 3.344764464469101
      then 2.943 + 0.981*cos(time - 39.24) + 0.1*sin(time - 39.24) else 1.962 + 0.1*(time - 39.24 - 3.344764464469101);
    Real error = mass.s - x;
  equation
    connect(belt.flange, friction.a);
    connect(friction.b, mass.a);
    connect(mass.b, spring.b);
    connect(spring.a, wall.flange);
    annotation(experiment(StopTime = 60));
  end Belt;

  model Rest "Dropped from 1 m with restitution 0.5 it lies still after 3 sqrt(2/g) = 1.35 s; from t = 3 on 2 N pull it up"
    BouncingMass ball(e = 0.5, s(fixed = true), v(fixed = true));
    Force pull(u = if time < 3 then -g else 2);
    Real error = if time < 1.36 then 0 elseif time <= 3 then ball.s else ball.s - (time - 3)^2;
  equation
    connect(pull.flange, ball.flange);
    annotation(experiment(StopTime = 4));
  end Rest;

  model Ball "Drop from 1 m, restitution 0.8: height at 1, 2 and 3 s"
    BouncingMass ball(s(fixed = true), v(fixed = true));
    ConstantForce weight(F = -g);
    Real error = if abs(time - 1) < 1e-9 then ball.s - 0.4680044525260363 elseif abs(time - 2) < 1e-9 then ball.s - 0.2607417283270572
      elseif time > 3 - 1e-9 then ball.s - 0.06870746096576572 else 0;
  equation
    connect(weight.flange, ball.flange);
    annotation(experiment(StopTime = 3));
  end Ball;

  model Buffer "Elastic stop without damping: the mass comes back after pi sqrt(m/c) as fast as it came"
    Ground wall;
    ElasticStop stop(c = 100, d = 0, s0 = 0);
    Mass mass(m = 1, s(start = 1, fixed = true), v(start = -2, fixed = true));
    Real error = mass.s - (if time < 0.5 then 1 - 2*time elseif time < 0.5 + 0.314159265358979324 then -0.2*sin(10*(time - 0.5))
      else 2*(time - 0.5 - 0.314159265358979324));
  equation
    connect(wall.flange, stop.a);
    connect(stop.b, mass.a);
    annotation(experiment(StopTime = 1.2));
  end Buffer;

  model Seesaw "A lever of ratio 2: the mass at b counts fourfold at a"
    Lever lever(ratio = 2);
    Mass a(m = 1, s(fixed = true), v(fixed = true)), b(m = 3);
    Force push(u = 13);
    Real error = a.s - time^2/2;
  equation
    connect(push.flange, a.a);
    connect(a.b, lever.a);
    connect(lever.b, b.a);
  end Seesaw;
end Translational;
