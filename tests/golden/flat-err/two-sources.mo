connector In = input Real;
connector Out = output Real;
block Source
  Out y = time;
end Source;
block Sink
  In u;
end Sink;
model M
  Source a, b;
  Sink c;
equation
  connect(a.y, c.u);
  connect(b.y, c.u);
end M;
