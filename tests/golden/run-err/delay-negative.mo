model DelayNegative "the delay time falls below zero at t = 1"
  Real x(start = 0, fixed = true);
equation
  der(x) = delay(time, 1 - time, 2);
  annotation(experiment(StopTime = 4));
end DelayNegative;
