model Relations "conditions between events, noEvent, one condition twice"
  Real x(start = 1), y, z;
equation
  der(x) = if x > 0.5 then -1 else -2;
  y = if x <= 0.5 then 1 else 0;
  z = noEvent(if x > 0 then sqrt(x) else 0);
end Relations;
