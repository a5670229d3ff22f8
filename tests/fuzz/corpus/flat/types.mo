package P
  type Length = Real(final unit = "m", min = 0);
  type Vector = Length[3](each nominal = 10);
  type Matrix = Vector[2];
  type Angle
    extends Real(unit = "rad");
  end Angle;
  model Short = Long(x(start = 2));
  model Long
    Real x(start = 1);
  equation
    der(x) = 0;
  end Long;
  model Pair = Short[2];
end P;
model Types
  P.Length l(max = 5) = 1;
  P.Vector v = {1, 2, 3};
  P.Matrix m[2](each start = 4) = zeros(2, 2, 3);
  P.Angle phi = 1;
  P.Pair pair;
  parameter Real table[:, 2] = [1, 2; 3, 4; 5, 6];
  parameter Integer n = size(table, 1);
  Real t[n] = table[:, 2];
  Real e[0];
  Real last = table[end, end - 1];
end Types;
