model M
  Real x; /* position
  Real v;
end M;
