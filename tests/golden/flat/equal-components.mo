// Components that differ in values only are instantiated together; the flat model is that of single ones.
model EqualComponents
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  function scaled
    input Real x;
    input Real y;
    output Real z = x*y;
  end scaled;
  record Data
    parameter Real a = 1;
    parameter Real b = 2*a;
  end Data;
  model Inner
    outer Real level;
    parameter Real gain = 1;
    Real out = gain*level;
  end Inner;
  model Cell
    Pin p, n;
    parameter Real R(min = 0, start = 1) = 1 "resistance";
    parameter Integer order = 2;
    parameter Boolean extra = false;
    parameter Data data;
    final parameter Real G = scaled(1/R, data.b);
    Real x[order](start = {data.a*k for k in 1:order}, each fixed = true);
    Inner inside(gain = R);
    constant Integer kind = 1;
    parameter Integer mode = 1 annotation(Evaluate = true);
    Real by_kind = if kind == 1 then p.v else kind*n.v;
    Real by_mode = if mode > 1 then x[1] else mode*x[order];
    parameter String me = getInstanceName();
    Integer ends = cardinality(p);
    Inner spare(gain = 3) if extra;
    discrete Real last(start = 0);
  equation
    p.v - n.v = R*p.i;
    p.i + n.i = 0;
    for k in 1:order loop
      der(x[k]) = (if k > 1 then x[k - 1] else p.v) - x[k];
    end for;
    when x[1] > 0.5 then
      last = time;
    end when;
  initial equation
    assert(R > 0, "R of " + getInstanceName() + " must be positive");
  end Cell;
  // Of one kind: numbers, expressions and nothing given.
  Cell a1, a2, a3, a4, a5, a6, a7, a8, a9;
  Cell b1(R = 1.5), b2(R = 2.5), b3(R = a1.R), b4(R = -u), b5(R = 2), b6(R = 2), b7(R = u*u), b8(R = 3.5) "the last";
  Cell c1(order = 3);
  Cell d1(data(a = 1.5)), d2(data(a = 2.5)), d3(data(a = 3.5)), d4(data(a = 4.5)), d5(data(a = 5.5)), d6(data(a = 6.5)),
    d7(data(a = 7.5)), d8(data(a = 8.5)), d9(data(a = 8.5), extra = true);
  Cell e1(kind = 1), e2(kind = 1), e3(kind = 2), e4(kind = 2), e5(kind = 1), e6(kind = 3), e7(kind = 1), e8(kind = 2);
  Cell f1(mode = 1), f2(mode = 2), f3(mode = k), f4(mode = 1), f5(mode = 3), f6(mode = 1), f7(mode = k), f8(mode = 1);
  parameter Integer k = 2;
  model Group
    parameter Real base = 1;
    Inner i1(gain = base), i2(gain = 2*base), i3(gain = 3*base), i4, i5(gain = 5), i6(gain = 6), i7(gain = 7),
      i8(gain = 8), i9(gain = 9);
    Real sum = i1.out + i5.out + i9.out;
  end Group;
  Group g(base = 4);
  parameter Real u = -1;
  parameter Integer m = 2;
  Real field[a2.order] = {a2.x[1], b2.x[1]};
  inner Real level = time;
equation
  connect(a1.n, a2.p);
  connect(a2.n, b1.p);
  connect(b1.n, b2.p);
  connect(b2.n, c1.p);
  connect(c1.n, d9.p);
  a1.p.v = 1;
  d9.n.v = 0;
end EqualComponents;
