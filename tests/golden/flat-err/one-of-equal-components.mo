// The message names the component that is wrong, though it is instantiated with others.
model Cell
  parameter Real R = 1;
  parameter Integer order = 2;
  Real x[order](each start = 1);
equation
  der(x) = -R*x;
end Cell;
model OneOfEqualComponents
  Cell a1(R = 1.5), a2(R = 2.5), a3(R = 3.5), a4(R = 4.5), a5(R = 5.5), a6(R = 6.5);
  Cell a7(R = y, order = 2);
  Cell a8(R = 2, order = 3), a9(R = q, order = 2), a10(R = 2, order = 2), a11(R = 2, order = 2), a12(R = 2, order = 2);
  Cell a13(R = 2, order = 2), a14(R = 2, order = 2), a15(R = {1, 2}, order = 2), a16(R = 2, order = 2);
  Real y = time;
end OneOfEqualComponents;
