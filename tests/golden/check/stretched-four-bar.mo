// All hinges lie in one line: the loop may open either way, and what pulls along the line is not determined.
model Flat "a parallelogram that starts stretched in a line"
  import Vincolo.Mechanics.Planar.*;
  inner World world;
  Fixed A, D(r = {2, 0});
  Bar crank(L = 1, m = 1, r(start = {0.5, 0})), coupler(L = 2, m = 1, r(start = {2, 0})), rocker(L = 1, m = 1, r(start = {2.5, 0}));
  Revolute jA, jB, jC, jD;
equation
  connect(A.frame, jA.a); connect(jA.b, crank.a); connect(crank.b, jB.a); connect(jB.b, coupler.a);
  connect(coupler.b, jC.a); connect(jC.b, rocker.b); connect(rocker.a, jD.b); connect(jD.a, D.frame);
  annotation(experiment(StopTime = 1));
end Flat;
