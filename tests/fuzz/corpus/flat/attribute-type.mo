model M
  Real x(start = "one", unit = 3) = 1;
  Integer i(start = 1.5) = 2;
end M;
