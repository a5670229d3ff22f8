model M
  Real x;
  Integer n = 3;
  Real y[n];
equation
  x = 1;
end M;
