model Redundant "The same constraint twice"
  Real q[3](start = {1, 0, 0}), lambda[2];
equation
  Vincolo.lagrange(q = q, T = der(q)*der(q)/2, V = 9.81*q[2], Phi = {q[1]^2 + q[2]^2 - 1, 2*q[1]^2 + 2*q[2]^2 - 2}, lambda = lambda);
  annotation(experiment(StopTime = 1), __Vincolo(
    draw = {trace(q[1:2]), rod({0, 0}, q[1:2]), point(q[1:2])}));
end Redundant;
