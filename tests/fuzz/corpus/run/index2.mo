model Follow
  Real x(start = 1), y, z;
equation
  der(x) = -x + z;
  der(y) = x - 2*y;
  x + y = 1 + sin(time);
end Follow;
