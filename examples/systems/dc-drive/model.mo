model DCDrive "Speed control of a DC motor through a gear with friction that sticks"
  import Vincolo.Electrical.*;
  import Vincolo.Blocks.*;
  import R = Vincolo.Mechanics.Rotational;
  Step reference(height = 20, start = 0.1);
  PID controller(k = 10, Ti = 0.2, yMax = 24);
  SignalVoltage amplifier;
  DCMotor motor(R = 0.5, L = 2e-3, k = 0.05, J = 2e-4, i(start = 0, fixed = true), w(start = 0, fixed = true));
  R.Gear gear(ratio = 10);
  R.Inertia load(J = 0.5, phi(start = 0, fixed = true));
  R.DryFriction friction(Tc = 0.4, Ts = 0.6, d = 0.02);
  R.Ground housing;
  R.SpeedSensor speed;
  Ground g;
equation
  connect(reference.y, controller.reference);
  connect(speed.y, controller.measured);
  connect(controller.y, amplifier.u);
  connect(amplifier.p, motor.p);
  connect(amplifier.n, motor.n);
  connect(amplifier.n, g.p);
  connect(motor.shaft, gear.a);
  connect(gear.b, load.a);
  connect(load.b, friction.b);
  connect(friction.a, housing.shaft);
  connect(load.b, speed.shaft);
  annotation(experiment(StopTime = 2));
end DCDrive;
