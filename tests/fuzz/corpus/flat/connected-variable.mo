connector Pin
  Real v;
  flow Real i;
end Pin;
model M
  Pin p;
  Real v;
equation
  connect(p, v);
end M;
