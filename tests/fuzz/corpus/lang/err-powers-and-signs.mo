model M
  Real x;
equation
  x = 2^3^4;
  x = 2*-x;
  x = 2^-1;
  x = 1 - -x;
end M;
