// Elements of an array that differ in structure get nodes of their own.
connector Pin
  Real v;
  flow Real i;
end Pin;
model Part
  parameter Boolean heat = false;
  parameter Integer n = 2;
  Pin p;
  Pin h if heat;
  Real x[n];
equation
  p.v = 1;
  connect(h, inside);
  x = fill(time, n);
protected
  Pin inside;
equation
  if not heat then
    inside.v = 3;
  end if;
end Part;
model Conditional
  Part a, b(heat = true);
  Part d[3](heat = {false, true, true}), e[3](each heat = true);
  input Real given = 4;
  Part c[3](heat = {true, false, true}, n = {1, 2, 3});
  Real s = sum(c[2].x);
  Real all_v[3] = c.p.v;
equation
  connect(b.h, c[1].h);
  connect(a.h, c[2].h);
  connect(d.h, e.h); // only the second and the third have both
end Conditional;
