model FunctionOfArrayElements
  function f
    input Real u;
    output Real y = u;
    output Real z = 2*u;
  end f;
  Real a[2], b[2];
equation
  (a, b) = f({1, 2});
end FunctionOfArrayElements;
