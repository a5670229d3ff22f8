model M
  Real x = true;
  Boolean b;
  parameter Integer n = 1.5;
equation
  b = time;
end M;
