model NoUnknown
  parameter Real a = 1, b = 2;
  Real x;
equation
  a = b;
end NoUnknown;
