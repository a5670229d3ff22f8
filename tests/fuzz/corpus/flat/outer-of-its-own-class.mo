model World
  parameter Real g = .81;
  Real t = 2*time;
end World;
model Body
  outer Body _world;
  Real f = world.gworld.t;
end Body;
model Group
  Body b[4];
end Group;
model InnerOuter
  inner World wld(g = 1.62);
  Body one;
  Group g[8];
end InnerOuter;
