model SingularKkt "one constraint twice: the multipliers are not determined, and 'kkt' wants them all"
  Real q[2](start = {1, 0}), lambda[2];
equation
  Vincolo.lagrange(q = q, T = (der(q[1])^2 + der(q[2])^2)/2, V = 9.81*q[2],
    Phi = {q[1]^2 + q[2]^2 - 1, 2*q[1]^2 + 2*q[2]^2 - 2}, lambda = lambda);
  annotation(__Vincolo(formulation = "kkt", method = "dopri5"));
end SingularKkt;
