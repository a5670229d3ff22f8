model DelayUnbounded
  Real x(start = 0, fixed = true);
equation
  der(x) = delay(time, 1 + x);
end DelayUnbounded;
