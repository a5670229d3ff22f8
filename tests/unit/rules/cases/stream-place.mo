model Legal
  connector C
    Real p;
    flow Real m;
    stream Real h;
  end C;
  C c(p = 1, h = 2);
end Legal;

model Illegal
  stream Real h = 2;
end Illegal;
