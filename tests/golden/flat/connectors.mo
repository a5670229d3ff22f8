// Inside and outside connectors, nested ones, arrays, what is left unconnected.
connector Pin
  Real v;
  flow Real i;
end Pin;
connector Plug
  Pin pin[2];
  parameter Integer m = 2;
end Plug;
model Load
  Plug plug;
equation
  plug.pin.v = {1, 2}.*plug.pin.i;
end Load;
model Inner
  Pin p, n;
equation
  p.v - n.v = p.i;
  p.i + n.i = 0;
end Inner;
model Outer
  Pin p, n;
  Inner a, b;
equation
  connect(p, a.p);
  connect(a.n, b.p);
  connect(b.n, n);
end Outer;
connector Signal = input Real;
block Gain
  Signal u;
  output Real y = 2*u;
end Gain;
model Connectors
  Load load[2];
  Outer o;
  Plug top;
  Signal u;
  Gain gain;
  Inner free;
equation
  connect(load[1].plug, load[2].plug);
  connect(top, load[1].plug);
  connect(o.p, load[1].plug.pin[1]);
  connect(u, gain.u);
  assert(cardinality(free.p) == 0 and cardinality(o.n) == 1, "connected");
  o.n.v = 0;
end Connectors;
