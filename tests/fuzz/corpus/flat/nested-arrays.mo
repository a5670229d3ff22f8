connector Pin
  Real v;
  flow Real i;
end Pin;
model R
  Pin p, n;
  parameter Real R = 1;
equation
  p.v - n.v = R*p.i;
  p.i + n.i = 0;
end R;
model Cell
  Pin a, b;
  parameter Integer m = 2;
  R r[m](R = {k for k in 1:m});
equation
  connect(a, r[1].p);
  for k in 1:m - 1 loop
    connect(r[k].n, r[k + 1].p);
  end for;
  connect(r[m].n, b);
end Cell;
model NestedArrays
  Cell c[2](each m = 2, r(R = {{1, 2}, {3, 4}}));
  Real total = sum(c.r.R);
  Real i[2, 2] = c.r.p.i;
equation
  connect(c[1].b, c[2].a);
  c[1].a.v = 1;
  c[2].b.v = 0;
end NestedArrays;
