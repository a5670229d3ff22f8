package Parts
  model Resistor
    parameter Real R = 1;
  end Resistor;
end Parts;
model M
  Parts.Resistr r1;
  Partz.Resistor r2;
end M;
