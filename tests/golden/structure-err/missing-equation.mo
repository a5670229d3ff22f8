model MissingEquation
  Real x, y, z;
equation
  der(x) = -x + y;
  y = 2*z;
end MissingEquation;
