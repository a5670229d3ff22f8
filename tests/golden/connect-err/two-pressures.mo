// Two pressure sources at one port.
model TwoPressures
  import Vincolo.Hydraulic.*;
  PressureSource pump(p = 1e5), other(p = 2e5);
  Orifice orifice;
  Reservoir tank;
equation
  connect(pump.port, orifice.a);
  connect(other.port, orifice.a);
  connect(orifice.b, tank.port);
end TwoPressures;
