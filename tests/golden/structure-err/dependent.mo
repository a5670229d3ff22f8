model Dependent "the same plane twice"
  Real x, y, z;
equation
  x + y = time + z;
  2*x + 2*y - 2*z = 3;
  z = sin(x);
end Dependent;
