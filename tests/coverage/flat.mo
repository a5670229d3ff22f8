model Flat "A region without volume"
  parameter Vincolo.Rotations.Solid s = Vincolo.solid({x, y, 0, 1} for x in 0:1, y in 0:1, z in 0:0);
  Real m = s.m;
end Flat;
