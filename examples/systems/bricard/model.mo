model Bricard "Five rods, six revolute joints, Grubler count 0, mobility 1"
  import Sp = Vincolo.Mechanics.Spatial;
  inner Sp.World world(g = {0, -9.81, 0});
  Sp.Fixed g0, g1(r = {0, 0, 1});
  Sp.Bar b1(span = {1, 0, 0}, r(start = {0.5, 0, 0}), size = {1, 0.1, 0.1});
  Sp.Bar b2(span = {0, -1, 0}, r(start = {1, -0.5, 0}), size = {0.1, 1, 0.1});
  Sp.Bar b3(span = {0, 0, 1}, r(start = {1, -1, 0.5}), size = {0.1, 0.1, 1});
  Sp.Bar b4(span = {-1, 0, 0}, r(start = {0.5, -1, 1}), size = {1, 0.1, 0.1});
  Sp.Bar b5(span = {0, 1, 0}, r(start = {0, -0.5, 1}), size = {0.1, 1, 0.1});
  Sp.Revolute j1(n = {0, 1, 0}), j2(n = {0, 0, 1}), j3(n = {1, 0, 0}), j4(n = {0, 1, 0}), j5(n = {0, 0, 1}), j6(n = {1, 0, 0});
  Real energy = b1.energy + b2.energy + b3.energy + b4.energy + b5.energy;
equation
  connect(g0.frame, j1.a); connect(j1.b, b1.a);
  connect(b1.b, j2.a); connect(j2.b, b2.a);
  connect(b2.b, j3.a); connect(j3.b, b3.a);
  connect(b3.b, j4.a); connect(j4.b, b4.a);
  connect(b4.b, j5.a); connect(j5.b, b5.a);
  connect(b5.b, j6.a); connect(j6.b, g1.frame);
  annotation(experiment(StopTime = 10), __Vincolo(draw = {trace(b3.a.r)}));
end Bricard;
