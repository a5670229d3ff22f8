model M
  Resistor r[2](R[1] = 3);
end M;
