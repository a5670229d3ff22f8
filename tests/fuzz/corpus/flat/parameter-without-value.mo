model M
  parameter Real p(start = 2), q;
  Real x = p + q;
end M;
