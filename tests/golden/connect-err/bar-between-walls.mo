// A bar welded to two walls: three constraints too many, left out with a warning.
model BarBetweenWalls
  import Vincolo.Mechanics.Planar.*;
  inner World world;
  Fixed left, right(r = {1, 0});
  Bar bar(r(start = {0.5, 0}));
  Weld weld1, weld2;
equation
  connect(left.frame, weld1.a);
  connect(weld1.b, bar.a);
  connect(bar.b, weld2.a);
  connect(weld2.b, right.frame);
end BarBetweenWalls;
