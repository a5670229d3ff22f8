// Where nothing is near a wrong name, what there is instead is listed: connectors, an element of an array of them.
package P
  connector Pin Real v; flow Real i; end Pin;
  connector Plug = Pin;
  model Source "no parameters" Pin p; Plug q; equation p.v = 1; q.v = 2; end Source;
  model Node Pin pin[2]; equation pin[1].v = pin[2].v; pin[1].i + pin[2].i = 0; end Node;
end P;
model M
  P.Source a;
  P.Node n;
equation
  connect(a.p, n.pin);
  connect(a.terminal, n.pin[2]);
end M;
