model NoStart "x^2 = -1 has no real solution"
  Real x(start = 3), y(start = 1);
equation
  der(y) = x;
  x^2 + 1 + y^2 = 0;
end NoStart;
