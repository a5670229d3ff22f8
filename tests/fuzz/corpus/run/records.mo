record Point
  Real x, y;
  parameter Real w = 2;
end Point;
function mirror
  input Point p;
  output Point q = p;
algorithm
  q.x := -p.x;
end mirror;
model Records
  Point p(x(start = 1, fixed = true)), q, list[2](each w = 3);
equation
  der(p.x) = p.y*p.w;
  p.y = 1 - p.x;
  q = mirror(p);
  list[1] = mirror(q);
  list[2].x = 1;
  list[2].y = 2;
end Records;
