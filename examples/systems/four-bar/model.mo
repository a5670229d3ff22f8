model FourBarChain "Crank-rocker in the plane, driven at constant torque against a damper"
  import Vincolo.Mechanics.Planar.*;
  inner World world;
  Fixed a0(r = {0, 0}), b0(r = {0.4, 0});
  Bar crank(L = 0.1, m = 0.2, r(start = {0, 0.05}), phi(start = 1.5707963267948966, fixed = true), w(start = 0, fixed = true));
  Bar coupler(L = 0.4, m = 0.5, r(start = {0.19, 0.17}), phi(start = 0.37));
  Bar rocker(L = 0.25, m = 0.4, r(start = {0.39, 0.125}), phi(start = 1.64));
  Revolute j1, j2, j3, j4(d = 0.02);
  Torque drive;
equation
  drive.u = 0.5;
  connect(a0.frame, j1.a);
  connect(j1.b, crank.a);
  connect(drive.frame, crank.a);
  connect(crank.b, j2.a);
  connect(j2.b, coupler.a);
  connect(coupler.b, j3.a);
  connect(j3.b, rocker.b);
  connect(b0.frame, j4.a);
  connect(j4.b, rocker.a);
  annotation(experiment(StopTime = 2), __Vincolo(draw = {trace(coupler.r)}));
end FourBarChain;
