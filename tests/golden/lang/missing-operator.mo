model M
  Real x;
equation
  x = 2x + 1;
  x = 3 x;
end M;
