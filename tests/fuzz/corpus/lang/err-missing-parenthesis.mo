model M
  Real x(start = 1;
  Real y;
equation
  x = 2*(y + 1;
  y = {1, 2;
  y = z[1;
end M;
