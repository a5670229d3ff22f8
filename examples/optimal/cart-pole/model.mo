model CartPole "A pole on a cart, hanging down for q = 0"
  parameter Real m1(unit = "kg") = 1 "cart";
  parameter Real m2(unit = "kg") = 0.3 "pole";
  parameter Real L(unit = "m") = 0.5;
  parameter Real g(unit = "m/s2") = 9.81;
  input Real u(unit = "N") "force on the cart";
  Real x(start = 0, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
  Real q(start = 0, fixed = true, unit = "rad");
  Real w(start = 0, fixed = true, unit = "rad/s");
equation
  der(x) = v;
  der(q) = w;
  (m1 + m2)*der(v) + m2*L*(der(w)*cos(q) - w^2*sin(q)) = u;
  L*der(w) + der(v)*cos(q) + g*sin(q) = 0;
  annotation(experiment(StopTime = 5));
end CartPole;
