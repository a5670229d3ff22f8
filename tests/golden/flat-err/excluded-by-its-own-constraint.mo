partial model Two
  Real p, n;
end Two;
model Resistor "has no n"
  parameter Real R = 1;
  Real p = R;
end Resistor;
model Circuit "a component that its own constraining class excludes, with a modification of its own"
  replaceable Resistor r(R = 2) constrainedby Two;
end Circuit;
