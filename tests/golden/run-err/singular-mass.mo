model SingularMass "nothing has inertia along q[1] + q[2] = constant, which the constraint leaves free"
  Real q[2](start = {1, 0}), lambda[1];
equation
  Vincolo.lagrange(q = q, T = (der(q[1]) + der(q[2]))^2/2, V = 9.81*q[2],
    Phi = {2*q[1] + 2*q[2] + sin(q[1] + q[2]) - 2}, lambda = lambda);
end SingularMass;
