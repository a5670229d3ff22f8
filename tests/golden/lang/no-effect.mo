model M
  Real x;
equation
  x;
  der(x);
  x + 1;
algorithm
  x;
end M;
