connector Pin
  Real v[0];
  flow Real i;
end Pin;
connector Plug
  Real v;
  flow Real i;
end Plug;
model M "the message names an array that has no elements"
  Pin p;
  Plug q;
equation
  connect(p, q);
end M;
