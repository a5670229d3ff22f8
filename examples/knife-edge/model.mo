model KnifeEdge "Knife edge on an incline: a constraint on velocities that is not the derivative of one on positions"
  parameter Real m = 1, J = 1, g = 9.81, alpha = 0.52359877559829887 "30 degrees", omega = 1;
  Real q[3](each start = 0, each fixed = true) "x downhill, y, heading";
  Real lambda[1];
initial equation
  der(q[3]) = omega;
  der(q[1]) = 0;
equation
  Vincolo.lagrange(q = q, T = m/2*(der(q[1])^2 + der(q[2])^2) + J/2*der(q[3])^2,
    V = -m*g*sin(alpha)*q[1], A = [sin(q[3]), -cos(q[3]), 0], lambda = lambda);
  annotation(experiment(StopTime = 5),
    __Vincolo(draw = {trace(q[1:2]), body(q[1:2], q[3], "box", {0.5, 0.08}), point(q[1:2])}));
end KnifeEdge;
