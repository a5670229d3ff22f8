package P "A circuit with arrays of components"
  type Voltage = Real(unit="V", quantity="Voltage");
  type Current = Real(unit="A");
  connector Pin Voltage v; flow Current i; end Pin;
  partial model OnePort
    Pin p, n; Voltage v; Current i;
  equation
    v = p.v - n.v; 0 = p.i + n.i; i = p.i;
  end OnePort;
  model Resistor extends OnePort; parameter Real R(unit="Ohm")=1; equation v = R*i; end Resistor;
  model Capacitor extends OnePort; parameter Real C=1; equation i = C*der(v); end Capacitor;
  model Source extends OnePort; parameter Real V=10; equation v = V*sin(time); end Source;
  model Ground Pin p; equation p.v = 0; end Ground;
end P;

model Ladder
    import P.*;
    parameter Integer n = 3;
    Resistor r[n](each R = 100), rr(R=5);
    Capacitor c[n](C = {1e-6*i for i in 1:n}, v(each start=1, each fixed=true));
    Source s; Ground g;
  equation
    connect(s.p, r[1].p); connect(s.n, g.p); connect(rr.p, r[n].n); connect(rr.n, g.p);
    for i in 1:n-1 loop connect(r[i].n, r[i+1].p); end for;
    for i in 1:n loop connect(r[i].n, c[i].p); connect(c[i].n, g.p); end for;
end Ladder;
