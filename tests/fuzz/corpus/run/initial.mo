model Rest
  parameter Real p(fixed = false);
  Real x(start = 2), y;
initial equation
  der(x) = 0;
  y = 3;
equation
  der(x) = p - x*y;
  der(y) = x - y;
end Rest;
