model PendulumOde "The pendulum differentiated until it is an ODE: index 0, nothing holds the rod"
  parameter Real g = 9.81, r = 1;
  Real x(start = r, fixed = true), y(start = 0, fixed = true), u(start = 0, fixed = true), v(start = 0, fixed = true);
  Real mu(start = 0, fixed = true) "-2*lambda/m";
equation
  der(x) = u;
  der(y) = v;
  der(u) = mu*x;
  der(v) = mu*y - g;
  r^2*der(mu) = 3*g*v;
  annotation(experiment(StopTime = 25));
end PendulumOde;
