// A shaft is connected to an electrical pin.
model WrongDomain
  Vincolo.Electrical.Resistor lamp;
  Vincolo.Mechanics.Rotational.Inertia wheel;
equation
  connect(wheel.b, lamp.p);
end WrongDomain;
