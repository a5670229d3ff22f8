model InitialConflict
  Real x(start = 1, fixed = true), y;
equation
  der(x) = -x + y;
  y = 2*x;
initial equation
  y = 5;
end InitialConflict;
