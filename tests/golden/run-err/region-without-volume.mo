model Empty "A parameter closes the region: z runs from h to 1"
  parameter Real h = 1;
  parameter Vincolo.Rotations.Solid s = Vincolo.solid({x, y, z, 7800} for x in 0:2, y in 0:x, z in h:1);
end Empty;
