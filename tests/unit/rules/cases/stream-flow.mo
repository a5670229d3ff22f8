model Legal
  connector C
    Real p;
    flow Real m;
    stream Real h[2];
  end C;
  C c(p = 1, h = {2, 3});
end Legal;

model IllegalNone
  connector C
    stream Real h;
  end C;
  C c(h = 2);
end IllegalNone;

model IllegalTwo
  connector C
    Real p[2];
    flow Real m[2];
    stream Real h;
  end C;
  C c(p = {1, 2}, h = 3);
end IllegalTwo;
