// A plane four-bar of hinges in space, and a mass on a rod that hangs on it: the loop has three constraints too many though
// the mass is free. It runs, and says which it does without.
model LoopWithLoad
  import Vincolo.Mechanics.Spatial.*;
  inner World world(g = {0, -9.81, 0});
  Fixed A, D(r = {2, 0, 0});
  Bar crank(span = {0, 0.7, 0}, size = {0.1, 0.7, 0.1}, r(start = {0, 0.35, 0}));
  Bar coupler(span = {2, 0.5, 0}, r(start = {1, 0.95, 0}));
  Bar rocker(span = {0, 1.2, 0}, size = {0.1, 1.2, 0.1}, r(start = {2, 0.6, 0}));
  PointMass load(r(start = {0.3, 0, 0}));
  Rod rope(L = 0.8);
  Revolute jA, jB, jC, jD;
equation
  connect(A.frame, jA.a);
  connect(jA.b, crank.a);
  connect(crank.b, jB.a);
  connect(jB.b, coupler.a);
  connect(coupler.b, jC.a);
  connect(jC.b, rocker.b);
  connect(rocker.a, jD.b);
  connect(jD.a, D.frame);
  connect(coupler.a, rope.a);
  connect(rope.b, load.frame);
  annotation(experiment(StopTime = 0.2));
end LoopWithLoad;
