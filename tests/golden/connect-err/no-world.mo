// Bodies ask for the world; nobody declared it.
model NoWorld
  import Vincolo.Mechanics.Planar.*;
  Fixed ground;
  Rod rod;
  PointMass mass(r(start = {1, 0}));
equation
  connect(ground.frame, rod.a);
  connect(rod.b, mass.frame);
end NoWorld;
