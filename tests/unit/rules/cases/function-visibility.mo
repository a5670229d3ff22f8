model Legal
  type In = input Real;
  function f
    In u;
    constant Real k = 2;
    output Real y;
  protected
    Real w;
  algorithm
    w := k*u;
    y := w;
  end f;
  Real x = f(time);
end Legal;

model IllegalLocal
  function f
    input Real u;
    output Real y;
    Real w;
  algorithm
    w := 2*u;
    y := w;
  end f;
  Real x = f(time);
end IllegalLocal;

model IllegalInput
  function f
    input Real u;
    output Real y;
  protected
    input Real w = 2;
  algorithm
    y := w*u;
  end f;
  Real x = f(time);
end IllegalInput;
