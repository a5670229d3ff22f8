model Singular "counts agree, structure does not"
  parameter Real p = 2;
  Real x, y, z, u;
equation
  der(x) = -x;
  x = 3*y;
  y = p;
  z = x + u;
end Singular;
