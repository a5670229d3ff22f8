model M
  Real x = f(a = 1, 2);
end M;
