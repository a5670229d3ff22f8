model SurplusEquation
  Real x, y;
equation
  der(x) = -x;
  y = 2*x;
  y = 3;
end SurplusEquation;
