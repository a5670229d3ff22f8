model RodWrittenTwice "one constraint says what the other says: a pendulum still swings"
  parameter Real L = 1.5;
  Real x(start = 1.5), y(start = 0), vx, vy, F, G;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -(F + G)*x;
  der(vy) = -(F + G)*y - 9.81;
  x^2 + y^2 = L^2;
  2*x^2 + 2*y^2 = 2*L^2;
end RodWrittenTwice;
