model Loop
  Real a(start = 1), b(start = 1), c;
equation
  a + b^3 = 2 + time;
  exp(a) - b = 1;
  c = sin(a*b);
end Loop;
