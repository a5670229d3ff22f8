// A joint that hangs on a body and leads nowhere.
model JointToNothing
  import Vincolo.Mechanics.Planar.*;
  inner World world;
  Fixed ground;
  Bar bar(r(start = {0.5, 0}));
  Revolute joint, loose;
equation
  connect(ground.frame, joint.a);
  connect(joint.b, bar.a);
  connect(loose.a, bar.b);
end JointToNothing;
