model Inverted "The upper bound falls below the lower one for x < 1"
  parameter Real h = 2;
  parameter Vincolo.Rotations.Solid s = Vincolo.solid({x, y, z, 7800} for x in 0:h, y in 1:x, z in 0:1);
end Inverted;
