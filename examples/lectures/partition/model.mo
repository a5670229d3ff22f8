model ByHand "The pendulum in x alone: y, v and mu propagated from the constraint; lower half only"
  parameter Real g = 9.81, r = 1;
  Real x(start = 0.9, fixed = true), u(start = 0, fixed = true);
  Real y = -sqrt(r^2 - x^2), v = -x*u/y, mu = (g*y - (u^2 + v^2))/r^2;
  Real E = (u^2 + v^2)/2 + g*y;
equation
  der(x) = u;
  der(u) = mu*x;
  annotation(experiment(StopTime = 10));
end ByHand;
