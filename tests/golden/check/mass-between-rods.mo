// Two rods in a line hold nothing across it, and neither says how much it carries.
model Shaky "a mass on a straight line between two rods: it can start sideways, and they cannot hold it"
  import Vincolo.Mechanics.Spatial.*;
  inner World world;
  Fixed left, right(r = {2, 0, 0});
  PointMass ball(r(start = {1, 0, 0}));
  Rod a, b;
equation
  connect(left.frame, a.a); connect(a.b, ball.frame); connect(right.frame, b.a); connect(b.b, ball.frame);
  annotation(experiment(StopTime = 1));
end Shaky;
