model Delayed
  parameter Real T = 0.1;
  Real x(start = 1, fixed = true), y;
equation
  y = delay(x, T);
  der(x) = -3*y;
end Delayed;
