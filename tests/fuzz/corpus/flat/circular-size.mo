model M
  parameter Integer n = m;
  parameter Integer m = n;
  Real x[n];
end M;
