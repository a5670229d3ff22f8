// Simultaneous inner and outer (section 5.5), outer functions (5.4.1), outer in a package (5.4).
model InnerOuter
  partial function law
    input Real u;
    output Real y;
  end law;
  function double
    extends law;
  algorithm
    y := 2*u;
  end double;
  function square
    extends law;
  algorithm
    y := u^2;
  end square;
  model Leaf
    outer Real gain;
    outer function f = law;
    package P
      outer constant Integer n;
    end P;
    Real x = gain;
    Real y = f(5);
    Integer k = P.n;
  end Leaf;
  model Middle
    parameter Real own = 3;
    inner outer Real gain = 10*gain + own;
    Leaf leaf;
  end Middle;
  model Top
    inner Real gain = 2;
    inner function f = double;
    inner constant Integer n = 4;
    Middle middle;
    Leaf leaf;
  end Top;
  model Other
    inner Real gain = 1;
    inner function f = square;
    inner constant Integer n = 7;
    Middle middle(gain = 5);
  end Other;
  Top top;
  Other other;
equation
  assert(top.middle.leaf.x == 23 and top.leaf.x == 2 and top.middle.gain == 2, "inner outer");
  assert(other.middle.leaf.x == 5 and other.middle.gain == 1, "modified inner outer");
  assert(top.leaf.y == 10 and other.middle.leaf.y == 25, "outer function");
  assert(top.leaf.k == 4 and other.middle.leaf.k == 7, "outer in a package");
end InnerOuter;
