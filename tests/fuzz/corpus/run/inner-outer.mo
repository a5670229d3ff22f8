model World
  parameter Real g = 9.81;
  Real clock = time;
end World;
model Ball
  outer World world;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -world.g + 0*world.clock;
end Ball;
model Room
  inner World world(g = 1.6);
  Ball b[2];
end Room;
