package Dae "Systems of every index, none of them mechanics"
  model Implicit "The derivative inside a function: x' + (x')^3/3 + 2 x = 0"
    Real x(start = 2, fixed = true);
  equation
    der(x) + der(x)^3/3 + 2*x = 0;
  end Implicit;

  model Quasi "A(x) x' = g with A invertible"
    Real a(start = 1, fixed = true), b(start = 1, fixed = true);
  equation
    (1 + a^2)*der(a) + der(b) = -a;
    der(a) + 2*der(b) = -b;
  end Quasi;

  model Slope "A singular in numbers, full by structure"
    Real a(start = 1, fixed = true), b(start = 1);
  equation
    der(a) + 2*der(b) = -a;
    2*der(a) + 4*der(b) = -b;
  end Slope;

  model One "Index 1: z^3 + z = x gives z of every x"
    Real x(start = 2, fixed = true), z(start = 1);
  equation
    der(x) = -z;
    0 = z^3 + z - x;
  end One;

  model Two "Index 2: the flow z that keeps two tanks level"
    Real h1(start = 1, fixed = true), h2(start = 1), z;
  equation
    der(h1) = 1 - z;
    der(h2) = 2*z - h2;
    h1 = h2;
  end Two;

  model Four "Index 4: the push that makes a chain of three integrators follow a path"
    Real a, b, c, z;
  equation
    der(a) = b;
    der(b) = c;
    der(c) = z;
    0 = a - cos(2*time);
  end Four;

  model Given "x is given, y is minus its derivative"
    Real x, y;
  equation
    x = exp(-3*time);
    der(x) + y = 0;
  end Given;

  model Spring "Index 1: u' = v/m, v' = -r, r = k u + u^3"
    Real u(start = 1, fixed = true), v(start = 0, fixed = true), r;
  equation
    der(u) = v/2;
    der(v) = -r;
    r = 8*u;
  end Spring;

  model Stiff "eps z' = x - z: in the limit z = x"
    parameter Real eps = 1e-9;
    Real x(start = 1, fixed = true), z(start = 1, fixed = true);
  equation
    der(x) = -z;
    eps*der(z) = x - z;
  end Stiff;
end Dae;
