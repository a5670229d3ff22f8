model M
  Real x = time;
  parameter Real p = 2*x;
end M;
