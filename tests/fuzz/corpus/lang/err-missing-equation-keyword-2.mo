model M
  Real x;
  x = 2;
end M;
