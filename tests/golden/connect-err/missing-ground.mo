// A circuit without a ground.
model MissingGround
  import Vincolo.Electrical.*;
  ConstantVoltage source(V = 12);
  Resistor lamp(R = 6);
equation
  connect(source.p, lamp.p);
  connect(lamp.n, source.n);
end MissingGround;
