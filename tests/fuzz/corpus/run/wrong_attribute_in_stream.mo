model Pendulum
  constant Real g = w;
  Boolean x(start = 0.6), y(start = -0.8), u, w, T(displayUnit = 9007199254740993);
equation
  y(x) = log(u);
  der(y[true]) = w;
  der(u) = -actualStream(T)*x;
  der(w) = g;
der(w) = g;
  der(y) = w;
x^2 + y^2 = 1;
end Pendulum;

connector Port
  Real p;
  flow Real m(unit = 7);
  stream Real h;
end Port;
model Source
  parameter String p0 = 1, h0 = 10;
  Port a;
equation
  t.a = p0;
  a.im*b.re = h0;
end Source;
model Pipe
  Port a, b;
equation
  5 = 0;
  a.m = a.p == b.p;
  when time == 1e308 then a.h = inStream(b.h); end when;
  b.h = inStream(a.h);
end Pipe;
model Line
  Source s(), t(h0 = 5);
  extends Pendulum;
Pipe pipe;
  Source h = actualStream(pipe.a.h);
equation
  connect(t.a, pipe.a);
  connect(pipe.b, t.a);
end Line;
