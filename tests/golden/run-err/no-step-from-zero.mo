model NoStep "evaluated at the start and nowhere after it, with an indicator to look at"
  Real x(start = 1, fixed = true);
  Boolean far = x > 2;
equation
  der(x) = sqrt(-time);
end NoStep;
