function f
  record y
    Real a;
  end y;
  input Real x;
  output Real y;
algorithm
  y := x;
end f;
function g
  input Real x;
  output Real y;
protected
  Real x;
algorithm
  y := x;
end g;
record R
  Real a;
  Integer a;
end R;
model M
  Real z = f(time);
  Real w = g(time);
  R r = R(1);
  model z
  end z;
end M;
