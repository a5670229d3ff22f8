function root
  input Real u;
  output Real y;
algorithm
  assert(u >= 0, "root needs a number that is not negative, not " + String(u));
  y := sqrt(u);
end root;

model FunctionAssertionFails
  constant Real y = root(-4);
end FunctionAssertionFails;
