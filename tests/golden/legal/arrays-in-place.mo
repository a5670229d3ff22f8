// Elements assigned one by one, with what was read whole before kept as it was.
model ArraysInPlace
  function fill
    input Integer n;
    output Real y[n, n];
  algorithm
    for i in 1:n loop
      for j in 1:n loop
        y[i, j] := 10*i + j;
      end for;
    end for;
  end fill;

  function copies
    input Real u;
    output Real kept[3];
    output Real changed[3];
    output Real summed;
  protected
    Real work[3] = zeros(3);
  algorithm
    work[1] := 1;
    work[2] := u;
    kept := work;
    work[1] := 7;
    summed := sum(work);
    work[3] := work[1] + summed;
    work[integer(work[1]) - 5] := 2;
    changed := work;
    work[2] := 100;
  end copies;

  function branches
    input Real u;
    output Real y[2];
  algorithm
    y[1] := 1;
    y[2] := 2;
    if u > 0 then
      y[1] := u;
    else
      y[2] := u;
    end if;
    y[1] := y[1] + y[2];
  end branches;

  record Pair
    Real a[2];
    Real b;
  end Pair;

  function records
    output Pair p[2];
    output Pair first;
  algorithm
    for i in 1:2 loop
      p[i] := Pair({i, i}, i);
    end for;
    first := p[1];
    p[1].a[2] := 5;
    p[2].b := 6;
  end records;

  Real kept[3], changed[3], summed, y[2], z[2];
  Real f[2, 2] = fill(2);
  Pair p[2], first;
equation
  (kept, changed, summed) = copies(time + 3);
  y = branches(time + 1);
  z = branches(-time - 1);
  (p, first) = records();
  assert(f[2, 1] == 21 and sum(fill(3)) == 198, "every element is assigned");
  assert(kept[1] == 1 and kept[2] == time + 3 and kept[3] == 0, "a copy stays as it was");
  assert(changed[1] == 7 and changed[2] == 2 and abs(changed[3] - 17 - time) < 1e-12, "the array goes on");
  assert(abs(summed - 10 - time) < 1e-12, "what is read is what was assigned");
  assert(abs(y[1] - (time + 3)) < 1e-12 and y[2] == 2, "one branch");
  assert(abs(z[1] + time) < 1e-12 and z[2] == -time - 1, "the other branch");
  assert(p[1].a[2] == 5 and p[1].a[1] == 1 and p[2].b == 6, "parts of records");
  assert(first.a[2] == 1 and first.b == 1, "a record that was read before");
end ArraysInPlace;
