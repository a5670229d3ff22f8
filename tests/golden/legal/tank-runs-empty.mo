// A root that an if-expression guards is not evaluated into a failure where its argument ends. The level is
// (1 - t/2)^2 until t = 2, and 0 from there on; the second tank holds what the first one lost.
model TankRunsEmpty
  Real h(start = 1, fixed = true), z(start = 0, fixed = true);
  Boolean empty = l <= 0;
  Real l(start = 1, fixed = true) "der(l) = -1 - sqrt(l): empty at 2 - 2 ln 2";
  Real te(start = 0, fixed = true);
equation
  der(h) = -(if h > 0 then sqrt(h) else 0);
  der(z) = if h > 0 then sqrt(h) else 0;
  der(l) = if empty then 0 else -1 - sqrt(l);
  der(te) = if empty then 0 else 1;
  assert(time < 2.5 or abs(h) < 1e-6 and abs(z - 1) < 1e-5, "empty");
  assert(time < 2.5 or abs(te - (2 - 2*log(2))) < 1e-5, "when");
  annotation(experiment(StopTime = 3));
end TankRunsEmpty;
