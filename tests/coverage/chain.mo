model Chain "Two masses and two springs; the first spring is to become a wall"
  parameter Real k1 = 1, k2 = 3, m1 = 2, m2 = 1;
  Real x1(start = 0, fixed = true), x2(start = 1, fixed = true);
  Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);
equation
  der(x1) = v1;
  der(x2) = v2;
  m1*der(v1) = -k1*x1 + k2*(x2 - x1);
  m2*der(v2) = -k2*(x2 - x1);
end Chain;
