// Constraints are listed by their components; one freedom.
model SliderCrank
  import Vincolo.Mechanics.Planar.*;
  inner World world;
  Fixed ground;
  Bar crank(L = 0.15, r(start = {0.075, 0})), rod(L = 0.3, r(start = {0.3, 0}));
  Body slider(r(start = {0.45, 0}));
  Revolute j1, j2, j3;
  Prismatic guide;
equation
  connect(ground.frame, j1.a);
  connect(j1.b, crank.a);
  connect(crank.b, j2.a);
  connect(j2.b, rod.a);
  connect(rod.b, j3.a);
  connect(j3.b, slider.frame[1]);
  connect(ground.frame, guide.a);
  connect(guide.b, slider.frame[1]);
end SliderCrank;
