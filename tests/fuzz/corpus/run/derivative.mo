function square
  input Real x;
  output Real y;
algorithm
  y := x*x;
  annotation(derivative = square_d);
end square;
function square_d
  input Real x, dx;
  output Real dy;
algorithm
  dy := 2*x*dx;
end square_d;
model Constrained
  Real x(start = 1), y(start = 0), u, v, L;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -L*x;
  der(v) = -L*y - 1;
  square(x) + square(y) = 1;
end Constrained;
