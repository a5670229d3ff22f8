// A component without parameters says so, and what can be connected instead.
model M
  connector Pin Real v; flow Real i; end Pin;
  model Source Pin p; equation p.v = 1; end Source;
  Source s(voltage = 3);
end M;
