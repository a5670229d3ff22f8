model RollingDiscExample "Uniform thin disc that rolls on the ground, leaning by 0.2 rad at the start"
  import Vincolo.Mechanics.Spatial.*;
  parameter Real lean = 0.2;
  inner World world;
  RollingDisc disc(m = 1, R = 0.5, r(start = {0, 0.5*sin(lean), 0.5*cos(lean)}),
    p(start = Vincolo.Rotations.toQuaternion([1, 0, 0; 0, sin(lean), -cos(lean); 0, cos(lean), sin(lean)]), each fixed = true),
    w(start = {0, 0, -10}, each fixed = true));
  annotation(experiment(StopTime = 5));
end RollingDiscExample;
