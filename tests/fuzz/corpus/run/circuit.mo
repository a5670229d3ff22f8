connector Pin
  Real v;
  flow Real i;
end Pin;
partial model Two
  Pin p, n;
  Real v = p.v - n.v;
equation
  p.i + n.i = 0;
end Two;
model Resistor
  extends Two;
  parameter Real R = 1;
equation
  v = R*p.i;
end Resistor;
model Capacitor
  extends Two(v(start = 1, fixed = true));
  parameter Real C = 0.1;
equation
  C*der(v) = p.i;
end Capacitor;
model Diode
  extends Two;
  Boolean off = s < 0;
protected
  Real s;
equation
  v = if off then s else 0;
  p.i = if off then 0 else s;
end Diode;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model Circuit
  replaceable Resistor r(R = 2) constrainedby Two;
  Capacitor c;
  Diode d;
  Ground g;
equation
  connect(c.p, r.p);
  connect(r.n, d.p);
  connect(d.n, g.p);
  connect(c.n, g.p);
end Circuit;
