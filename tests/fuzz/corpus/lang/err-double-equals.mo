model M
  Real x, y == 2;
equation
  x == y;
end M;
