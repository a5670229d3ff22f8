model M
  Real x[0] = {};
end M;
