partial function scalar_function
  input Real x;
  output Real y;
end scalar_function;
function parabola
  extends scalar_function;
  input Real a(quantity = "q") = 1;
algorithm
  n := a*x^2;
end parabola;
function area
  input scalar_function f;
  input Integer n = area(function parabola(a = false));
  discrete Real s = 0;
algorithm
  for i in 1:n loop
    s := s + f((i - 0.5)/n)/n;
  end for;
end area;
model Functional
  Real a = area(function parabola(a = false)), b = area(y)*time;
end Functional;
