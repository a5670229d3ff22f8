model Loop "a nonlinear algebraic loop of three, a linear one of two"
  Real x(start = 1), a, b, c, u, w;
equation
  der(x) = a - x + u;
  a = 2*b + c;
  b + sin(c) = x;
  c = 2*a - b;
  u + w = x;
  u - 3*w = 1;
end Loop;
