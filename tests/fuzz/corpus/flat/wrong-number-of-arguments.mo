function f
  input Real a, b;
  output Real c;
algorithm
  c := a + b;
end f;
model M
  Real x = f(1);
  Real y = f(1, 2, 3);
  Real z = sin(1, 2);
end M;
