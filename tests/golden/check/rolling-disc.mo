// Five coordinates, three freedoms: two constraints are on velocities.
model RollingDisc
  inner Vincolo.Mechanics.Spatial.World world;
  Vincolo.Mechanics.Spatial.RollingDisc disc(p(start = {0.8, 0.6, 0, 0}), r(start = {0, 0, 0.48}));
end RollingDisc;
