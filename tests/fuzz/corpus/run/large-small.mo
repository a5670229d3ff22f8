model Edges
  parameter Real tiny = 1e-200, huge = 1e200;
  Real x(start = 1, fixed = true, nominal = 1e-3), y(start = tiny), z;
equation
  der(x) = -x*1e3;
  y*huge = x + 1;
  z = y/(y + tiny) - x^3/(1 + x^2);
end Edges;
