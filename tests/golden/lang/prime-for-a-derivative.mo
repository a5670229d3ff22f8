model M
  Real x(start = 1);
equation
  x' = -x;
end M;
