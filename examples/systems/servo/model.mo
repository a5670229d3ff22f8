model Servo "Hydraulic servo that moves a slider-crank, with electrical control: every domain in one model"
  import Vincolo.Hydraulic.*;
  import Vincolo.Blocks.*;
  import P = Vincolo.Mechanics.Planar;
  import T = Vincolo.Mechanics.Translational;
  import E = Vincolo.Electrical;

  // ---- control: reference, controller, coil of the valve
  Sine reference(A = 0.03, f = 0.5, offset = 0.1);
  PID controller(k = 200, Ti = 0, yMax = 10);
  E.SignalVoltage source;
  E.Resistor r(R = 20);
  E.Inductor coil(L = 0.1, i(start = 0, fixed = true));
  E.Ground g;
  FirstOrder spool(k = 2, T = 0.005) "ampere to opening";

  // ---- hydraulics
  PressureSource pump(p = 7e6);
  Reservoir tank;
  ServoValve valve(C = 3e-7);
  Cylinder cylinder(A1 = 1e-3, A2 = 1e-3, stroke = 0.2, p1(start = 3.5e6, fixed = true), p2(start = 3.5e6, fixed = true), leak = 1e-13);

  // ---- mechanics: the piston pushes the slider, the slider turns the crank
  T.Mass piston(m = 5, s(start = 0.1, fixed = true), v(start = 0, fixed = true));
  T.Spring link(c = 1e6) "rod between piston and slider";
  T.Damper loss(d = 2e3);
  inner P.World world;
  P.Fixed pivot;
  P.Bar crank(L = 0.15, m = 1, r(start = {0.03, 0.07}), phi(start = 1.2), w(start = 0));
  P.Bar rod(L = 0.4, m = 1.5, r(start = {0.24, 0.07}), phi(start = -0.36));
  P.Body slider(m = 3, r(start = {0.43, 0}));
  P.Revolute j1(d = 0.5), j2, j3;
  P.Prismatic guide;
  SliderFlange flange(s0 = 0.33);

  model SliderFlange "The slider seen as a translational flange: s = x - s0"
    Vincolo.Interfaces.PlanarFrame frame;
    Vincolo.Interfaces.Flange flange;
    parameter Real s0 = 0;
  equation
    flange.s = frame.r[1] - s0;
    frame.f = {-flange.f, 0};
    frame.tau = 0;
  end SliderFlange;
equation
  connect(reference.y, controller.reference);
  controller.measured = piston.s;
  connect(controller.y, source.u);
  connect(source.p, r.p);
  connect(r.n, coil.p);
  connect(coil.n, source.n);
  connect(source.n, g.p);
  spool.u = coil.i;
  connect(spool.y, valve.u);
  connect(pump.port, valve.P);
  connect(tank.port, valve.T);
  connect(valve.A, cylinder.a);
  connect(valve.B, cylinder.b);
  connect(cylinder.flange, piston.a);
  connect(piston.b, link.a);
  connect(piston.b, loss.a);
  connect(link.b, flange.flange);
  connect(loss.b, flange.flange);
  connect(pivot.frame, j1.a);
  connect(j1.b, crank.a);
  connect(crank.b, j2.a);
  connect(j2.b, rod.a);
  connect(rod.b, j3.a);
  connect(j3.b, slider.frame[1]);
  connect(pivot.frame, guide.a);
  connect(guide.b, slider.frame[1]);
  connect(flange.frame, slider.frame[1]);
  annotation(experiment(StopTime = 4));
end Servo;
