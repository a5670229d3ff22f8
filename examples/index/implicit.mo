model Implicit "Fully implicit: x' stands inside a nonlinear function; v = x' makes it semi-explicit"
  Real x(start = 1, fixed = true);
equation
  der(x) + 0.5*sin(der(x)) = -x;
end Implicit;
