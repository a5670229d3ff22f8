// Outer modifications override inner ones; dotted names, each, nested arrays.
package P
  model Resistor
    parameter Real R = 1, T = 300;
    Real v(start = 0, unit = "V");
  equation
    v = R*time;
  end Resistor;
  model Two
    Resistor a(R = 2, v(start = 1)), b(R = 3);
    parameter Real scale = 10;
    Resistor c(R = scale*a.R);
  end Two;
  model Three
    extends Two(a(R = 4), b.T = 310, scale = 20);
  end Three;
end P;
model Modifications
  P.Three x(a.R = 5, a(v(fixed = true)));
  P.Two y[2](b(R = {7, 8}), each a.T = 1, a.v(start = {0.1, 0.2}));
  P.Resistor z[2, 3](R = [1, 2, 3; 4, 5, 6], each T = 5);
  parameter Real w[3](each min = 0) = {1, 2, 3};
end Modifications;
