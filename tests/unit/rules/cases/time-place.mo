model Legal
  record R
    Real x;
  end R;
  R r(x = time);
  block B
    Real y = 2*time;
  end B;
  B b;
end Legal;

model IllegalRecord
  record R
    Real x = time;
  end R;
  R r;
end IllegalRecord;

model IllegalFunction
  function f
    output Real y = time;
  end f;
  Real x = f();
end IllegalFunction;
