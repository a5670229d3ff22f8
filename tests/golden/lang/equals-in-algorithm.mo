function f
  input Real u;
  output Real y;
algorithm
  y = 2*u;
end f;
