function power
  input Real base;
  input Integer exponent;
  output Real y;
algorithm
  y := base^exponent;
end power;

model FunctionArgumentMissing
  Real y = power(time);
end FunctionArgumentMissing;
