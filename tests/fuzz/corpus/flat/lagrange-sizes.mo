model M
  Real q[2], lambda[2];
equation
  Vincolo.lagrange(q = q, T = der(q)*der(q)/2, Phi = {q[1]^2 + q[2]^2 - 1}, lambda = lambda);
end M;
