// Two springs in a row with no body between them.
model TwoSprings
  import Vincolo.Mechanics.Planar.*;
  inner World world;
  Fixed ground;
  SpringDamper s1, s2;
  PointMass m(r(start = {2, 0}));
equation
  connect(ground.frame, s1.a);
  connect(s1.b, s2.a);
  connect(s2.b, m.frame);
end TwoSprings;
