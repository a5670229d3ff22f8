model HiddenConstraints "The pendulum by hand, with the derivative of its multiplier asked for"
  parameter Real g = 9.81, r = 1;
  Real x(start = r, fixed = true), y(start = 0, fixed = true), u(start = 0, fixed = true), v(start = 0);
  Real mu;
  Real left = r^2*der(mu), right = 3*g*v "equal, by the third derivative of the constraint";
equation
  der(x) = u;
  der(y) = v;
  der(u) = mu*x;
  der(v) = mu*y - g;
  x^2 + y^2 = r^2;
  annotation(experiment(StopTime = 5, Tolerance = 1e-9));
end HiddenConstraints;
