model Started "a parameter that the start decides"
  parameter Real k(fixed = false);
  parameter Real k2 = 2*k;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k2*x;
initial equation
  der(x) = -6;
end Started;
