function scale
  input Real gain;
  input Real u[:];
  output Real y[size(u, 1)];
algorithm
  y := gain*u;
end scale;

model FunctionArgumentType
  Real y[2] = scale("two", {time, 1});
end FunctionArgumentType;
