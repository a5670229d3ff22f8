model M
  Real 'my name = 3;
  Real y;
end M;
