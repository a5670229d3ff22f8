model Resistor
  parameter Real R = 1;
  Real v;
end Resistor;
model Wire
  Real v;
end Wire;
model Circuit
  replaceable Resistor r;
end Circuit;
model M
  Circuit c(redeclare Wire r);
end M;
