connector Pin
  Real v, u;
  flow Real i;
end Pin;
model M
  Pin p;
end M;
