connector Pin
  Real v;
  flow Real i;
end Pin;
model Part
  Pin p[3];
end Part;
model M
  Part a, b;
  Pin q[2];
equation
  connect(a.p, b.p);
  connect(a.p, q);
end M;
