model PartialExternalFunction
  partial function f
    input Real u;
    output Real y;
    external "C" y = sin(u);
  end f;
  Real x = f(2);
end PartialExternalFunction;
