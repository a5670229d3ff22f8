model World
  parameter Real g = 9.81;
  Real t = 2*time;
end World;
model Body
  outer World world;
  Real f = world.g*world.t;
end Body;
model Group
  Body b[2];
end Group;
model InnerOuter
  inner World world(g = 1.62);
  Body one;
  Group g[2];
end InnerOuter;
