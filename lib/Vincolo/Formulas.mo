within Vincolo;
package Formulas "Formulas of the appendix: inverse of a 3 by 3 matrix, trigonometry, geometric series"

  function determinant "Of a 3 by 3 matrix, along its first row"
    input Real A[3, 3];
    output Real d;
  algorithm
    d := A[1, :]*cross(A[2, :], A[3, :]);
    annotation(Inline = true);
  end determinant;

  function inverse "Of a 3 by 3 matrix, by cofactors: its columns are cross products of rows over the determinant"
    input Real A[3, 3];
    output Real B[3, 3];
  algorithm
    B := transpose({cross(A[2, :], A[3, :]), cross(A[3, :], A[1, :]), cross(A[1, :], A[2, :])})/determinant(A);
    annotation(Inline = true);
  end inverse;

  function cot "cos/sin"
    input Real x;
    output Real y;
  algorithm
    y := cos(x)/sin(x);
    annotation(Inline = true);
  end cot;

  function sec "1/cos"
    input Real x;
    output Real y;
  algorithm
    y := 1/cos(x);
    annotation(Inline = true);
  end sec;

  function csc "1/sin"
    input Real x;
    output Real y;
  algorithm
    y := 1/sin(x);
    annotation(Inline = true);
  end csc;

  function identities "Left less right side of cos sin = sin(2a)/2, cos^2 - sin^2 = cos(2a), and of sin and cos of a + b and a - b"
    input Real a;
    input Real b;
    output Real d[6];
  algorithm
    d := {cos(a)*sin(a) - sin(2*a)/2, cos(a)^2 - sin(a)^2 - cos(2*a), sin(a + b) - (sin(a)*cos(b) + cos(a)*sin(b)),
          cos(a + b) - (cos(a)*cos(b) - sin(a)*sin(b)), sin(a - b) - (sin(a)*cos(b) - cos(a)*sin(b)),
          cos(a - b) - (cos(a)*cos(b) + sin(a)*sin(b))};
    annotation(Inline = true);
  end identities;

  function geometric "a + a r + ... + a r^(n - 1) = a (1 - r^n)/(1 - r), and a n for r = 1"
    input Real a;
    input Real r;
    input Integer n;
    output Real s;
  algorithm
    s := if abs(1 - r) > 1e-8 then a*(1 - r^n)/(1 - r) else a*n*(1 + (n - 1)*(r - 1)/2);
  end geometric;
end Formulas;
