model M
  Real x;
equation
  x = 1;
  Real y;
  parameter Real p = 2;
  model Inside end Inside;
end M;
