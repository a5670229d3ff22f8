function f
  input Real x;
  output Real y = x;
end f;
model M
  f g;
end M;
