model Aliases "signs, derivatives, values that follow from values"
  parameter Real p = 2;
  Real a, b, c, d, e, f, x, v, k;
equation
  a = -b;
  b + c = 0;
  c = x;
  d = 3*p;
  e = d;
  f = e + 1;
  der(x) = v;
  der(v) = -a - f;
  k - e = 0;
end Aliases;
