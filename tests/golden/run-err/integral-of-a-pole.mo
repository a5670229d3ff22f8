model Pole "A pole inside the interval"
  parameter Real a = 0.25;
  parameter Real s = Vincolo.integral(1/(x - a) for x in 0:1);
end Pole;
