model M
  Real x;
  x y;
end M;
