model Legal
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  Pin pin(v = 1);
  Integer n = cardinality(pin);
end Legal;

model Illegal
  Real x = 1;
  Integer n = cardinality(x);
end Illegal;
