// Components that look alike and have other sizes: each is what it is alone.
model Cell
  parameter Real R = 1;
  parameter Integer order = 2;
  Real x[order](each start = R);
equation
  der(x) = -R*x;
end Cell;
model EqualButForSizes
  Cell a1(order = 1), a2(order = 2), a3(order = 3), a4(order = 1), a5(order = k), a6(order = 1), a7(order = 1),
    a8(order = 2);
  Cell b1(R = 1.5), b2(R = 2.5), b3(R = 3.5), b4(R = 4.5), b5(R = 5.5), b6(R = 6.5), b7(R = 7.5), b8(R = 8.5);
  parameter Integer k = 2;
end EqualButForSizes;
