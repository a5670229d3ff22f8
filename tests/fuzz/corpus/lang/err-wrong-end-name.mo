model Resistor
  parameter Real R = 1;
end Resisitor;
