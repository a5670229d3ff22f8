model M
  Real x[3], y;
equation
  x[1, 2] = 1;
  y[1] = 2;
end M;
