// A pump drives oil into an orifice whose other end was forgotten.
model OpenPort
  Vincolo.Hydraulic.FlowSource pump(u = 1e-4);
  Vincolo.Hydraulic.Orifice orifice;
equation
  connect(pump.port, orifice.a);
end OpenPort;
