// Connections in loops: connectors with a condition, a list of subscripts, and ends that turn out to be outside.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Part
  parameter Boolean heated = true;
  parameter Real R = 1;
  Pin p, n;
  Pin heat if heated;
  Ground inside if heated;
equation
  connect(heat, inside.p);
  p.v - n.v = R*p.i;
  p.i + n.i = 0;
end Part;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model Row
  parameter Integer n = 4;
  parameter Integer to[n] = {3, 1, 4, 2};
  Pin ends[n];
  Part a[n](each heated = false);
equation
  for i in 1:n loop
    connect(ends[i], a[to[i]].p);
  end for;
  for i in 1:n - 1 loop
    connect(a[i].n, a[i + 1].n);
  end for;
end Row;
model ConnectInLoops
  parameter Integer n = 4;
  Part b[n](heated = {false, true, true, false});
  Part c[n];
  Row row;
  Ground g[n];
equation
  for i in 1:n loop
    connect(b[i].p, row.ends[i]);
    connect(b[i].n, g[i].p);
    connect(b[i].heat, g[n + 1 - i].p);
    connect(c[i].heat, g[i].p);
    connect(c[i].p, c[i].n);
  end for;
end ConnectInLoops;
