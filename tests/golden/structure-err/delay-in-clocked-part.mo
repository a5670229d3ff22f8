model DelayInClockedPart "a clocked variable has no past between its ticks"
  Real u = sample(1 + time, Clock(Clock(1, 100), solverMethod = "ExplicitEuler"));
  Real x(start = 0, fixed = true);
equation
  der(x) = delay(u, 0.05);
end DelayInClockedPart;
