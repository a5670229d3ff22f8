model M
  Real x;
  Boolean b = time > 1;
  parameter Real p = 1;
equation
  x = der(b);
end M;
