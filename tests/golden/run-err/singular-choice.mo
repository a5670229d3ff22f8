model SingularChoice "x decides nothing where the rod is horizontal"
  Real q[2](start = {1, 0}), lambda[1];
equation
  Vincolo.lagrange(q = q, T = (der(q[1])^2 + der(q[2])^2)/2, V = 9.81*q[2], Phi = {q[1]^2 + q[2]^2 - 1},
    lambda = lambda);
  annotation(__Vincolo(formulation = "partition:independent=q[1]", method = "dopri5"));
end SingularChoice;
