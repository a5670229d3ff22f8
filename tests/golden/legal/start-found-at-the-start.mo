// A start value given by a parameter that the start finds: p = -2, and of the two solutions of x^2 = 4
// the one next to it is meant.
model StartFoundAtTheStart
  parameter Real p(fixed = false, start = 1);
  Real x(start = p);
  Real y(start = 0, fixed = true);
initial equation
  p^3 = -8;
equation
  x^2 = 4 + y;
  der(y) = 1;
  assert(abs(p + 2) < 1e-9 and x < 0, "the solution that the start value means");
end StartFoundAtTheStart;
