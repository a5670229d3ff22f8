type Length = Real(unit = "m", quantity = "Length", min = 0);
type Speed = Real(final unit = "m/s", displayUnit = "km/h", nominal = 10);
model Units
  Length s(start = 1, fixed = true);
  Speed v(start = 2);
  parameter Real tau(unit = "s") = 0.5;
equation
  der(s) = v;
  tau = s/tau;
end Units;
