model Sine "x is given, y is what must be differentiated: index 2"
  Real x, y;
equation
  x = sin(time);
  der(x) + y = 0;
end Sine;
