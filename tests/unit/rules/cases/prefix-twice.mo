model Legal
  record R
    Real x, y;
  end R;
  connector C
    R r;
    flow R q;
  end C;
  connector In = input R;
  model M
    C c;
    In u;
  equation
    c.r.x = u.x;
    c.r.y = u.y;
  end M;
  M m(u(x = 1, y = 2));
end Legal;

model IllegalFlow
  connector C
    Real e;
    flow Real f;
  end C;
  connector D
    flow C c;
    C d;
  end D;
  D d;
end IllegalFlow;

model IllegalShort
  connector C
    Real e;
    output Real x;
    flow Real f;
  end C;
  connector D = input C;
  D d;
end IllegalShort;
