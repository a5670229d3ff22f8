model Pull "A rod of 2 kg and 1 m about its end, pulled at the tip by (3, 4)"
  Real a(start = 0, fixed = true) "from the x axis";
  Real w(start = 0, fixed = true);
  Real p[2] = {cos(a), sin(a)} "the tip";
equation
  der(a) = w;
  Vincolo.lagrange(q = {a}, T = 2/6*w^2, V = 0, p = p, F = {3, 4});
end Pull;
