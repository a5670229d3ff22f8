model ThreeTank "Three tanks in a row, joined by pipes at their bottoms, the last one drains"
  import Vincolo.Hydraulic.*;
  Tank t1(n = 1, A = 0.02, h(start = 1, fixed = true));
  Tank t2(n = 2, A = 0.02, h(start = 0.2, fixed = true));
  Tank t3(n = 2, A = 0.02, h(start = 0, fixed = true));
  Orifice o12(A = 5e-5, rho = 1000), o23(A = 5e-5, rho = 1000), out(A = 5e-5, rho = 1000);
  Reservoir drain;
  Real volume(unit = "m3") = 0.02*(t1.h + t2.h + t3.h) "what is still inside";
equation
  connect(t1.port[1], o12.a);
  connect(o12.b, t2.port[1]);
  connect(t2.port[2], o23.a);
  connect(o23.b, t3.port[1]);
  connect(t3.port[2], out.a);
  connect(out.b, drain.port);
  annotation(experiment(StopTime = 400));
end ThreeTank;
