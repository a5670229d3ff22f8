connector Port
  Real p;
  flow Real m;
  stream Real h;
end Port;
model Source
  parameter Real p0 = 1, h0 = 10;
  Port a;
equation
  a.p = p0;
  a.h = h0;
end Source;
model Pipe
  Port a, b;
equation
  a.m + b.m = 0;
  a.m = a.p - b.p;
  a.h = inStream(b.h);
  b.h = inStream(a.h);
end Pipe;
model Line
  Source s(p0 = 2), t(h0 = 5);
  Pipe pipe;
  Real h = actualStream(pipe.a.h);
equation
  connect(s.a, pipe.a);
  connect(pipe.b, t.a);
end Line;
