model M
  Real q[2];
equation
  Vincolo.lagrange(q = q, T = der(q)*der(q)/2, Phi = {q[1]*der(q[1])});
end M;
