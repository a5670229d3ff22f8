// A hydraulic loop in which no component states a pressure.
model NoReservoir
  Vincolo.Hydraulic.FlowSource pump(u = 1e-4);
  Vincolo.Hydraulic.Orifice first, second;
equation
  connect(pump.port, first.a);
  connect(first.b, second.a);
  connect(second.b, pump.port);
end NoReservoir;
