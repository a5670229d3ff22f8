model TooMany
  Real q[2](start = {1, 0}), lambda[3];
equation
  Vincolo.lagrange(q = q, T = (der(q[1])^2 + der(q[2])^2)/2, V = 9.81*q[2],
    Phi = {q[1]^2 + q[2]^2 - 1, q[1] - 0.6, q[2] - 0.7}, lambda = lambda);
end TooMany;
