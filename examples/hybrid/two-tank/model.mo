model TwoTank "Two tanks in a row, the inflow switched with hysteresis"
  parameter Real A = 1 "cross section, m2", q_in = 0.5 "inflow, m3/s", c = 0.1 "outflow coefficient, m2";
  parameter Real low = 0.9 "open below", high = 1.1 "shut above: levels of the second tank, m";
  Real h1(start = 0.5, fixed = true) "level, m", h2(start = 0.2, fixed = true) "level, m";
  Boolean open(start = true, fixed = true) "the valve";
  Integer switches(start = 0, fixed = true);
  Real q1 = c*sqrt(2*9.81*h1), q2 = c*sqrt(2*9.81*h2) "out of each";
equation
  A*der(h1) = (if open then q_in else 0) - q1;
  A*der(h2) = q1 - q2;
  when {h2 > high, h2 < low} then
    open = h2 < low;
    switches = pre(switches) + 1;
  end when;
  annotation(experiment(StopTime = 60, Tolerance = 1e-8));
end TwoTank;
