model QuasiLinear "A(x) x' = g(x) with a matrix that is singular everywhere: a transistor amplifier's capacitors"
  Real u(start = 1, fixed = true), w(start = 1);
equation
  u*der(u) - u*der(w) = -w;
  der(u) - der(w) = time - u;
end QuasiLinear;
