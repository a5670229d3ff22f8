model M
  Real x;
end M;
end M;
