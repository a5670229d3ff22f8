model M
  Boolean a, b;
  Real x;
equation
  a = x != 1 && b || !a;
  x = 2**3 + 7 % 3;
end M;
