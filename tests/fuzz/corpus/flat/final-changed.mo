model Resistor
  final parameter Real R = 1;
end Resistor;
model Two
  Resistor r;
  parameter Real L(final start = 1);
end Two;
model M
  Two two(r(R = 2), L(start = 3));
end M;
