model Legal
  record R
    Real x(start = 0, fixed = true);
  end R;
  model M
    input Real u;
    Real y = 2*u;
  end M;
  R r;
  M m(u = r.x);
equation
  when sample(0, 0.1) then
    r.x = time;
  end when;
end Legal;

model Illegal
  model M
    discrete Real x(start = 0, fixed = true);
  end M;
  M m;
equation
  when sample(0, 0.1) then
    m.x = time;
  end when;
end Illegal;
