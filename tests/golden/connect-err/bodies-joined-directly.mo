// Two bodies in space without a joint between them: they are one.
model BodiesJoinedDirectly
  import Vincolo.Mechanics.Spatial.*;
  inner World world;
  Fixed ground;
  Revolute joint(n = {0, 1, 0});
  Bar first(r(start = {0.5, 0, 0})), second(r(start = {1.5, 0, 0}));
equation
  connect(ground.frame, joint.a);
  connect(joint.b, first.a);
  connect(first.b, second.a);
end BodiesJoinedDirectly;
