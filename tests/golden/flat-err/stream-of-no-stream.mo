connector Port
  Real p;
  flow Real m;
  stream Boolean b;
end Port;
model M
  Port a;
  parameter Real k = actualStream(1);
  Real x(start = 1, fixed = inStream(true));
  Boolean c = actualStream(a.b);
equation
  der(x) = -k*x;
end M;
