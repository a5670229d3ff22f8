// function f = der(g, x, ...) (section 12.7.2) against derivatives taken by hand:
// g = x^3 y^2 + sin(x y), so that g_x = 3 x^2 y^2 + y cos(x y) and
// g_xy = 6 x^2 y + cos(x y) - x y sin(x y).
model PartialDerivatives
  function g
    input Real x;
    input Real y;
    output Real z;
  algorithm
    z := sin(x*y);
    z := z + x^3*y^2;
  end g;
  function g_x = der(g, x);
  function g_xy = der(g, x, y);
  function g_yx = der(g_x, y);
  function power
    input Real x;
    input Integer n;
    output Real y = 1;
  algorithm
    for i in 1:n loop
      y := y*x;
    end for;
  end power;
  function slope = der(power, x);
  function norm
    input Real x;
    input Real y;
    output Real n;
  algorithm
    n := g(x, y) - x*g_x(x, y);
  end norm;
  class A
    class B
      function f = der(g, y);
    end B;
  end A;
  A a;
  Real x = 0.3 + time, y = 1.2 - time;
  Real first = 3*x^2*y^2 + y*cos(x*y);
  Real second = 6*x^2*y + cos(x*y) - x*y*sin(x*y);
equation
  assert(abs(g_x(x, y) - first) < 1e-12, "g_x");
  assert(abs(g_xy(x, y) - second) < 1e-12, "g_xy");
  assert(abs(g_yx(x, y = y) - second) < 1e-12, "g_yx");
  assert(abs(slope(x, 5) - 5*x^4) < 1e-12, "slope");
  assert(abs(norm(x, y) - (x^3*y^2 + sin(x*y) - x*first)) < 1e-12, "norm");
  assert(abs(a.B.f(x, y) - (2*x^3*y + x*cos(x*y))) < 1e-12, "a function in a class of a component");
end PartialDerivatives;
