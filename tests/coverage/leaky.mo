model Leaky "What is named as kept is not: der(E) = -d v^2"
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), E = x^2/2 + v^2/2;
equation
  der(x) = v;
  der(v) = -x - 0.1*v;
  annotation(experiment(StopTime = 5), __Vincolo(invariant = {E}));
end Leaky;
