model Legal
  connector C
    Integer k;
    Real e;
    flow Real f;
  end C;
  connector D
    parameter Integer n = 1;
    Real e;
    flow Real f;
    stream Real s;
  end D;
  model M
    D d(e = 1, s = 2);
  end M;
  M m;
end Legal;

model IllegalFlow
  connector C
    Real e = 1;
    flow Integer f;
  end C;
  C c;
end IllegalFlow;

model IllegalStream
  connector C
    Real e = 1;
    flow Real f;
    stream Integer s = 2;
  end C;
  C c;
end IllegalStream;
