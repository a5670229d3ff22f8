model M
  Real x = time;
equation
  assert(x < 1, 42);
end M;
