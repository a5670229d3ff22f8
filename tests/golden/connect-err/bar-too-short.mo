// A bar of 1 m between two pivots 1.5 m apart: no position meets the joints.
model BarTooShort
  import Vincolo.Mechanics.Spatial.*;
  inner World world;
  Fixed g0, g1(r = {1.5, 0, 0});
  Bar b(r(start = {0.5, 0, 0}));
  Revolute j1(n = {0, 1, 0}), j2(n = {0, 1, 0});
equation
  connect(g0.frame, j1.a);
  connect(j1.b, b.a);
  connect(b.b, j2.a);
  connect(j2.b, g1.frame);
end BarTooShort;
