model VelocityConstraint "The pendulum with its constraint on velocities in place of that on positions: index 2"
  parameter Real g = 9.81;
  Real x(start = 1, fixed = true), y(start = 0, fixed = true), u(start = 0), v(start = 0, fixed = true);
  Real mu;
equation
  der(x) = u;
  der(y) = v;
  der(u) = mu*x;
  der(v) = mu*y - g;
  x*u + y*v = 0;
  annotation(experiment(StopTime = 1));
end VelocityConstraint;
