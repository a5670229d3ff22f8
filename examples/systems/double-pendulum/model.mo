model SpatialDoublePendulum "Two bars on a spherical and a universal joint, swinging in space"
  import Vincolo.Mechanics.Spatial.*;
  inner World world;
  Fixed ground;
  Bar b1(r(start = {0.5, 0, 0}), w(start = {0, 0, 2}, fixed = {false, false, true}));
  Bar b2(r(start = {1.5, 0, 0}), w(start = {0, 0, 4}, fixed = {false, false, true}));
  Spherical j1;
  Universal j2(na = {0, 1, 0}, nb = {0, 0, 1});
  Real energy = b1.energy + b2.energy;
equation
  connect(ground.frame, j1.a);
  connect(j1.b, b1.a);
  connect(b1.b, j2.a);
  connect(j2.b, b2.a);
  annotation(experiment(StopTime = 3), __Vincolo(draw = {trace(b2.b.r)}));
end SpatialDoublePendulum;
