model M
  Real x[3] = {1, 2};
  Real y[2, 2];
equation
  y = {{1, 2, 3}, {4, 5, 6}};
end M;
