model M
  Real x;
  Boolean inside = 0 < x < 1;
end M;
