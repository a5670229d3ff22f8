model M
  parameter Boolean use = false;
  Real x if use;
  Real y = 2*x;
end M;
