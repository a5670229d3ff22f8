// An iterator without a range takes the type of the dimension it subscripts (section 11.2.2.1).
// The sums are taken by hand: weights 2 and 3 for false and true, 1, 2, 3 for the literals.
model ImplicitIterators
  type Phase = enumeration(a, b, c);
  function weigh
    input Real x[Boolean];
    output Real y;
  protected
    Real w[Boolean];
  algorithm
    for k loop
      w[k] := if k then 3 else 2;
    end for;
    y := sum(x[k]*w[k] for k);
  end weigh;
  model Part
    Real u[Phase];
  end Part;
  Real x[Boolean, Phase];
  Part part(u = {10, 20, 30});
  Real s = sum(Integer(p)*part.u[p] for p);
  Real t = weigh({5, 7});
equation
  for i, j loop
    x[i, j] = (if i then 100 else 0) + Integer(j);
  end for;
  assert(s == 140 and t == 31, "sums");
  assert(x[false, Phase.c] == 3 and x[true, Phase.a] == 101, "elements");
end ImplicitIterators;
