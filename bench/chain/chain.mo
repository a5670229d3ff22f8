// A rod chain in space: n bars joined by spherical joints, released from rest, horizontal.
model Chain "Index 3: 7 n coordinates, 4 n constraints"
  import Vincolo.Mechanics.Spatial.*;
  parameter Integer n = 10;
  inner World world;
  Fixed ground;
  Bar bar[n](r(start = {{i - 0.5, 0, 0} for i in 1:n}));
  Spherical joint[n];
equation
  connect(ground.frame, joint[1].a);
  for i in 1:n loop
    connect(joint[i].b, bar[i].a);
  end for;
  for i in 1:n - 1 loop
    connect(bar[i].b, joint[i + 1].a);
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end Chain;
