// The torque of a motor has no signal.
model NoSignal
  import Vincolo.Mechanics.Rotational.*;
  Torque drive;
  Inertia wheel;
equation
  connect(drive.shaft, wheel.a);
end NoSignal;
