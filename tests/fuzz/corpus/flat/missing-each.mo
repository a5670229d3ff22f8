model Resistor
  parameter Real R = 1;
end Resistor;
model M
  Resistor r[3](R = 100);
  Real x[3](start = 0);
end M;
