connector Pin
  Real v;
  flow Real i;
end Pin;
model R
  Pin p, n;
equation
  p.v - n.v = 10*p.j;
  p.i + n.i = 0;
end R;
