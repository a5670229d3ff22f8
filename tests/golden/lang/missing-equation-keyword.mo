model M
  Real x;
  der(x) = -x;
  x = 2;
end M;
