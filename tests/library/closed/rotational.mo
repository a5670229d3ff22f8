package Rotational "Shafts against closed forms"
  import Vincolo.Mechanics.Rotational.*;

  model Oscillator "J phi'' + d phi' + c phi = 0 from phi = 1"
    Ground wall;
    Spring spring(c = 8);
    Damper damper(d = 2);
    Inertia wheel(J = 2, phi(start = 1, fixed = true), w(fixed = true));
    AngleSensor angle;
    SpeedSensor speed;
    parameter Real w = sqrt(3.75);
    Real x = exp(-time/2)*(cos(w*time) + sin(w*time)/(2*w)), error[2];
  equation
    connect(wall.shaft, spring.a);
    connect(spring.b, wheel.a);
    connect(wall.shaft, damper.a);
    connect(damper.b, wheel.a);
    connect(angle.shaft, wheel.b);
    connect(speed.shaft, wheel.b);
    error = {angle.y - x, speed.y - der(x)};
    annotation(experiment(StopTime = 3));
  end Oscillator;

  model Together "Spring and damper in one, and a sensor in between"
    Ground wall;
    SpringDamper one(c = 8, d = 2);
    TorqueSensor torque;
    Inertia wheel(J = 2, phi(start = 1, fixed = true), w(fixed = true));
    Real error = torque.y - 8*wheel.phi - 2*wheel.w;
  equation
    connect(wheel.a, torque.a);
    connect(torque.b, one.b);
    connect(one.a, wall.shaft);
  end Together;

  model Curve "Stribeck's curve at given speeds"
    Ground wall;
    Stribeck friction(Tc = 2, Ts = 3, ws = 0.5, w1 = 1e-2, d = 0.1);
    Speed drive(u = time);
    Real error = friction.tau - ((2 + exp(-4*time^2))*tanh(time/1e-2) + 0.1*time);
  equation
    connect(wall.shaft, friction.a);
    connect(friction.b, drive.shaft);
  end Curve;

  model Bearing "Torque 2 t on a wheel whose bearing sticks up to 1: w' = 2 t - 0.5 from t = 0.5 on"
    Ground housing;
    DryFriction bearing(Tc = 0.5, Ts = 1);
    Inertia wheel(J = 1, phi(fixed = true), w(fixed = true));
    Torque drive(u = 2*time);
    Real error = wheel.w - (if time < 0.5 then 0 else time^2 - 0.5*time);
  equation
    connect(housing.shaft, bearing.a);
    connect(bearing.b, wheel.a);
    connect(drive.shaft, wheel.b);
    annotation(experiment(StopTime = 2));
  end Bearing;

  model Geared "A gear of ratio 3: the load counts a ninth at the fast shaft"
    Gear gear(ratio = 3);
    Inertia fast(J = 1, phi(fixed = true), w(fixed = true)), slow(J = 9);
    ConstantTorque drive(T = 4);
    Real error = fast.phi - time^2;
  equation
    connect(drive.shaft, fast.a);
    connect(fast.b, gear.a);
    connect(gear.b, slow.a);
  end Geared;

  model Rack "A rack on a pinion of radius 0.5: the mass counts m r^2"
    RackAndPinion rack(r = 0.5);
    Inertia wheel(J = 1, phi(fixed = true), w(fixed = true));
    Vincolo.Mechanics.Translational.Mass mass(m = 4);
    Torque drive(u = 4);
    Real error = mass.s - time^2/2;
  equation
    connect(drive.shaft, wheel.a);
    connect(wheel.b, rack.shaft);
    connect(rack.flange, mass.a);
  end Rack;

  model Turned "A shaft turned by a signal twists a spring against a held wheel"
    Angle drive(u = sin(time));
    Spring spring(c = 5);
    Ground wall(phi0 = 0.1);
    Real error = spring.tau - 5*(sin(time) - 0.1);
  equation
    connect(wall.shaft, spring.a);
    connect(spring.b, drive.shaft);
  end Turned;

  model Coupling "A clutch slips until 0.5 s, sticks under a load from 1 s on, slips again from 2 s on"
    Inertia driving(J = 1, w(start = 10, fixed = true), phi(fixed = true)), driven(J = 1, w(fixed = true), phi(fixed = true));
    Clutch clutch(Tmax = 10, u = if time < 2 then 1 else 0.1);
    Torque load(u = if time < 1 then 0 else 4);
    Real error[2] = {
      driving.w - (if time < 0.5 then 10 - 10*time elseif time < 1 then 5 elseif time < 2 then 5 + 2*(time - 1) else 7 + 3*(time - 2)),
      driven.w - (if time < 0.5 then 10*time elseif time < 1 then 5 elseif time < 2 then 5 + 2*(time - 1) else 7 + (time - 2))};
  equation
    connect(driving.b, clutch.a);
    connect(clutch.b, driven.a);
    connect(load.shaft, driving.a);
    annotation(experiment(StopTime = 3));
  end Coupling;
end Rotational;
