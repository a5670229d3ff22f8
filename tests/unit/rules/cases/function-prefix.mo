model Legal
  function f
    input Real u;
    input Real k;
    output Real y = k*u;
  end f;
  inner parameter Real k = 2;
  Real x = f(time, k);
end Legal;

model Illegal
  function f
    input Real u;
    output Real y;
  protected
    outer Real k;
  algorithm
    y := k*u;
  end f;
  inner parameter Real k = 2;
  Real x = f(time);
end Illegal;
