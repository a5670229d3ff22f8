model Operators
  Real x = time - 0.3, a, b, c, d, e, f;
  Integer i, j;
  Boolean p, q;
equation
  a = abs(x) + sign(x)*sqrt(x^2 + 1);
  b = max(x, 0) + min(x, 0.1) + mod(x, 0.2) + rem(x, 0.2) + div(x, 0.2);
  c = atan2(x, 1) + tanh(x) + exp(-x^2) + log(2 + x) + asin(x/2);
  d = smooth(0, noEvent(if x > 0 then x else 0));
  e = semiLinear(x, 1, 2);
  f = homotopy(x^3 + x, x);
  i = integer(10*x);
  j = if p and not q then 1 else 0;
  p = x > 0.1 or time < 0.05;
  q = edge(p) and initial();
end Operators;
