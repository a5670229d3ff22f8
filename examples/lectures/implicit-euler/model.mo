model ByHand "The pendulum in first-order form, mu in place of the multiplier: index 3"
  parameter Real g = 9.81, r = 1;
  Real x(start = r, fixed = true), y(start = 0, fixed = true), u(start = 0, fixed = true), v(start = 0);
  Real mu;
equation
  der(u) = mu*x;
  der(v) = mu*y - g;
  der(x) = u;
  der(y) = v;
  x^2 + y^2 = r^2;
  annotation(experiment(StopTime = 5));
end ByHand;
