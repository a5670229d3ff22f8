model Suspension "A quarter of a car drives over a kerb"
  parameter Real M = 300 "a quarter of the body, kg";
  parameter Real m = 40 "the wheel, kg";
  parameter Real k = 18e3 "the spring, N/m";
  parameter Real d = 1500 "the damper, N.s/m";
  parameter Real tyre = 180e3 "the tyre, N/m";
  parameter Real kerb = 0.08 "its height, m";
  Real x(start = 0, fixed = true), v(start = 0, fixed = true) "the body, from its rest";
  Real y(start = 0, fixed = true), w(start = 0, fixed = true) "the wheel";
  Real a "what the passengers feel";
  Real load "of the tyre, beside its weight";
  Real road = if time > 0.1 then kerb else 0;
equation
  der(x) = v;
  der(y) = w;
  M*a = k*(y - x) + d*(w - v);
  der(v) = a;
  m*der(w) = load - M*a;
  load = tyre*(road - y);
  annotation(experiment(StopTime = 3));
end Suspension;
