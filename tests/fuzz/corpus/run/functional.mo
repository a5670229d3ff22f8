partial function scalar_function
  input Real x;
  output Real y;
end scalar_function;
function parabola
  extends scalar_function;
  input Real a = 1;
algorithm
  y := a*x^2;
end parabola;
function area
  input scalar_function f;
  input Integer n = 8;
  output Real s = 0;
algorithm
  for i in 1:n loop
    s := s + f((i - 0.5)/n)/n;
  end for;
end area;
model Functional
  Real a = area(function parabola(a = 3)), b = area(parabola)*time;
end Functional;
