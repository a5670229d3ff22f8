model Delay "A tank is drained by what was seen a while ago; a staircase that remembers its jumps"
  parameter Real T = 1 "delay, s";
  Real x(start = 1, fixed = true) "x' = -x(t - T)";
  Real now(start = 1, fixed = true) "the same without delay";
  Real step = if time < 0.5 then 0 else 1 + 0.5*delay(step, T) "jumps at 0.5, 1.5, 2.5 ...";
equation
  der(x) = -delay(x, T);
  der(now) = -now;
  annotation(experiment(StopTime = 8, Tolerance = 1e-8));
end Delay;
