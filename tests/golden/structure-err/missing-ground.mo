model MissingGround
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Resistor
    Pin p, n;
    parameter Real R = 1;
  equation
    p.v - n.v = R*p.i;
    p.i + n.i = 0;
  end Resistor;
  model Source
    Pin p, n;
  equation
    p.v - n.v = 10;
    p.i + n.i = 0;
  end Source;
  Resistor r1, r2;
  Source s;
equation
  connect(s.p, r1.p);
  connect(r1.n, r2.p);
  connect(r2.n, s.n);
end MissingGround;
