model R
  Real v = 1;
end R;
model M
  R r;
  Real x = r;
end M;
