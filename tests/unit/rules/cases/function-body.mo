model Legal
  function f
    input Real u;
    output Real y;
  algorithm
    y := 2*u;
  end f;
  function g
    input Real u;
    output Real y = 3*u;
  end g;
  Real x = f(time) + g(time);
end Legal;

model IllegalEquation
  function f
    input Real u;
    output Real y;
  equation
    y = 2*u;
  end f;
  Real x = f(time);
end IllegalEquation;

model IllegalInitial
  function f
    input Real u;
    output Real y;
  initial algorithm
    y := 2*u;
  end f;
  Real x = f(time);
end IllegalInitial;

model IllegalTwo
  function f
    input Real u;
    output Real y;
  algorithm
    y := 2*u;
  algorithm
    y := y + 1;
  end f;
  Real x = f(time);
end IllegalTwo;
