// About its own axis the bar has no inertia, and a ball joint leaves that free.
model Massless "a bar in space that has no inertia about its own axis on a ball joint"
  import Vincolo.Mechanics.Spatial.*;
  inner World world;
  Fixed ground;
  Spherical joint;
  Bar bar(m = 2, J = diagonal({0, 0.2, 0.2}), r(start = {0.5, 0, 0}));
equation
  connect(ground.frame, joint.a); connect(joint.b, bar.a);
  annotation(experiment(StopTime = 1));
end Massless;
