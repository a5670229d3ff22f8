connector Pin
  Real v;
  flow Real i;
end Pin;
connector Flange
  Real phi;
  flow Real tau;
end Flange;
model E
  Pin p;
end E;
model F
  Flange f;
end F;
model M
  E e;
  F f;
equation
  connect(e.p, f.f);
end M;
