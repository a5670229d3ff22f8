model Oscillator "m x'' + d x' + k x = F"
  parameter Real m = 2, d = 0.8, k = 50, F = 0;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  Real E = m*v^2/2 + k*x^2/2;
equation
  der(x) = v;
  m*der(v) + d*v + k*x = F;
  annotation(experiment(StopTime = 1));
end Oscillator;
