// A parallelogram of spatial joints: 20 constraints for 18 coordinates; it runs, and says which it does without.
model FourBarInSpace
  import Vincolo.Mechanics.Spatial.*;
  inner World world(g = {0, -9.81, 0});
  Fixed g0, g1(r = {1, 0, 0});
  Bar left(span = {0, 1, 0}, size = {0.1, 1, 0.1}, r(start = {0, 0.5, 0}), w(start = {0, 0, -1}, fixed = {false, false, true}));
  Bar right(span = {0, 1, 0}, size = {0.1, 1, 0.1}, r(start = {1, 0.5, 0}));
  Bar coupler(r(start = {0.5, 1, 0}));
  Revolute j1, j2, j3, j4;
equation
  connect(g0.frame, j1.a);
  connect(j1.b, left.a);
  connect(left.b, j2.a);
  connect(j2.b, coupler.a);
  connect(coupler.b, j3.a);
  connect(j3.b, right.b);
  connect(right.a, j4.a);
  connect(j4.b, g1.frame);
  annotation(experiment(StopTime = 0.2));
end FourBarInSpace;
