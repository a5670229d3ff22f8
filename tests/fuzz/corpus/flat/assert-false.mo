model M
  constant Integer n = 3;
  Real x = 1;
equation
  assert(n < 3, "n must be less than 3");
end M;
