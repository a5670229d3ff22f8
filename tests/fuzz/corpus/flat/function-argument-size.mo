function rotate "By a matrix"
  input Real T[3, 3];
  input Real v[3];
  output Real w[3];
algorithm
  w := T*v;
end rotate;

model FunctionArgumentSize
  Real w[3] = rotate(identity(3), {time, 1});
end FunctionArgumentSize;
