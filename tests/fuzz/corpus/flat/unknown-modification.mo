model Resistor
  parameter Real R = 1;
  Real v(start = 0);
end Resistor;
model M
  Resistor r1(r = 1);
  Resistor r2(v(stat = 1));
  extends Resistor(Resistance = 4);
end M;
