// A cylinder between pump and tank whose rod moves nothing.
model OpenFlange
  import Vincolo.Hydraulic.*;
  PressureSource pump(p = 1e5);
  Reservoir tank;
  Cylinder cylinder;
equation
  connect(pump.port, cylinder.a);
  connect(tank.port, cylinder.b);
end OpenFlange;
