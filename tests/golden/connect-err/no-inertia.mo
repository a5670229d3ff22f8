// A bar without mass on a pivot: nothing says how it moves.
model NoInertia
  import Vincolo.Mechanics.Planar.*;
  inner World world;
  Fixed ground;
  Revolute joint;
  Bar bar(m = 0, r(start = {0.5, 0}));
equation
  connect(ground.frame, joint.a);
  connect(joint.b, bar.a);
end NoInertia;
