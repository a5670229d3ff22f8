// What other languages call otherwise is told, not only found missing.
model M
  Real x(start = 1), y, z, w;
equation
  dx = -x;
  y = sin(2*pi*t);
  z = ln(x) + pow(x, 2);
  w = ddt(x);
end M;
