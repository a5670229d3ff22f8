package Parts
  model Mass
    Real x;
  equation
    der(x) = 1;

  model Spring
    Real f;
  end Spring;
end Parts;
