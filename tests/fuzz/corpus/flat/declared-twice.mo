model M
  Real x = 1;
  parameter Real y = 2;
  Real x = 3;
end M;
