model ByHand "The third-order stabilisation written out, with V''' shortened by what holds on the constraint only"
  parameter Real g = 9.81, r = 1, a = 30, b = 300, c = 1000;
  Real x(start = r, fixed = true), y(start = 0, fixed = true), u(start = 0, fixed = true), v(start = 0, fixed = true);
  Real mu(start = 0, fixed = true);
  Real V = x^2 + y^2 - r^2, V1 = 2*(x*u + y*v), V2 = 2*(mu*(x^2 + y^2) - g*y + u^2 + v^2);
equation
  der(x) = u;
  der(y) = v;
  der(u) = mu*x;
  der(v) = mu*y - g;
  2*(r^2*der(mu) - 3*g*v) + a*V2 + b*V1 + c*V = 0;
  annotation(experiment(StopTime = 5));
end ByHand;
