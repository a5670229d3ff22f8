model DoublePendulum "Two point masses on massless rods, in Cartesian coordinates"
  parameter Real m = 1, g = 9.81, L = 1;
  Real q[4](start = {1, 0, 2, 0}) "x1, y1, x2, y2";
  Real lambda[2];
  Real tension1 = 2*L*lambda[1], tension2 = 2*L*lambda[2];
equation
  Vincolo.lagrange(q = q, T = m/2*(der(q)*der(q)), V = m*g*(q[2] + q[4]),
    Phi = {q[1]^2 + q[2]^2 - L^2, (q[3] - q[1])^2 + (q[4] - q[2])^2 - L^2}, lambda = lambda);
  annotation(experiment(StopTime = 5),
    __Vincolo(draw = {trace(q[3:4]), rod({0, 0}, q[1:2]), rod(q[1:2], q[3:4]), point(q[1:2]), point(q[3:4])}));
end DoublePendulum;
