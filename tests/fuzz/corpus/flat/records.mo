package P
  record Pair
    Real x, y;
  end Pair;
  record Point
    Real x = 1, y = 2;
  end Point;
  record Line
    Point a, b(x = 5);
    parameter Integer n = 2;
    Real t[n];
  end Line;
  function middle
    input Line l;
    output Point p;
  algorithm
    p := Point((l.a.x + l.b.x)/2, (l.a.y + l.b.y)/2);
  end middle;
  constant Point origin(x = 0, y = 0);
  constant Point corners[2] = {Point(1, 2), Point(3, y = 4)};
end P;
model Records
  import P.*;
  parameter Line l(a(x = 3), t = {7, 8});
  parameter Point p = Point(y = 9), q = l.b;
  Point m = middle(l);
  Pair v[2];
  Real c = corners[2].y + origin.x;
  Real xs[2] = corners.x;
equation
  v[1] = Pair(time, 2*time);
  v[2] = v[1];
end Records;
