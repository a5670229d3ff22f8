// Equations of a base class that are those of another one are discarded (section 7.1), and so are those of a class that
// is inherited on two ways.
model InheritedTwice
  model A
    parameter Integer n = 3;
    Real x(start = 1, fixed = true), s[n];
    Integer k(start = 0, fixed = true);
  equation
    der(x) = -x;
    for i in 1:n loop
      s[i] = i*time;
    end for;
    when sample(0.1, 0.1) then
      k = pre(k) + 1;
    end when;
  end A;
  model B
    extends A;
    Real y;
  equation
    y = 2*x;
  end B;
  model C
    extends A;
    Real y;
  equation
    y = 2*x;
  end C;
  extends B;
  extends C;
equation
  assert(time < 0.95 or abs(y - 2*exp(-time)) < 1e-5 and k == 9 or time >= 1, "once each");
end InheritedTwice;
