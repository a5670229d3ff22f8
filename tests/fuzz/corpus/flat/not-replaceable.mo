model Resistor
  parameter Real R = 1;
end Resistor;
model Heated
  extends Resistor;
  parameter Real T = 300;
end Heated;
model Circuit
  Resistor r;
end Circuit;
model M
  Circuit c(redeclare Heated r);
end M;
