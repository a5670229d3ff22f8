type Voltage = Real(unit = "V");
type Current = Real(unit = "A");
type Resistance = Real(unit = "Ohm");
model M
  parameter Resistance R = 10;
  parameter Real length(unit = "mm") = 5, width(unit = "m") = length;
  Voltage v;
  Current i;
  Real p(unit = "W"), e(unit = "J");
equation
  v = i/R;
  i = if time > 1 then v/R else v;
  p = v*i;
  der(e) = v*i + 2*R;
end M;
