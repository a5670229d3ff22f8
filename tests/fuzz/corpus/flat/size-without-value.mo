model M
  parameter Integer n;
  Real x[n];
  Real y[:];
end M;
