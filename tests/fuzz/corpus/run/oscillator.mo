model Oscillator
  parameter Real m = 1, c = 4, d = 0.1;
  input Real F;
  output Real v(start = 0, fixed = true);
  Real q(start = 1, fixed = true);
equation
  v = der(q);
  m*der(v) + d*v + c*q = F;
end Oscillator;
