model Resistor
  parameter Real R = 1;
end Resistor;
model M
  Resistor r(R = 1, R = 2);
end M;
