model Equations
  Real x, y;
equation
  x = y "comment" annotation(Placement());
  if x > 0 then
    y = 1;
  elseif x < -1 then
    y = 2;
    x = 3;
  else
    y = 4;
  end if "if" annotation(a);
  if b then
  end if;
  for i in 1:3, j in {1, 2}, k loop
    a[i, j] = k;
    for l loop
      connect(p[l].n, q);
    end for;
  end for;
  connect(a, b.c[1]) annotation(Line(points = {{0, 0}, {1, 1}}));
  when {x > 1, initial()} then
    reinit(x, pre(x));
  elsewhen sample(0, 1) then
    n = pre(n) + 1;
  end when;
  assert(x > 0, "x is " + String(x), level = AssertionLevel.warning) "check";
  .A.terminate("end");
  a[1].f(x);
  (x, y) = f(1);
  der(x) = if time > 1 then 1 else 2;
  (if b then x else y) = 1;
  1:3 = z;
  initial() = b;
initial equation
  x = 0;
  der(y) = 0;
equation
initial algorithm
  x := 1;
algorithm
  x := 1 "comment";
  a[1, 2].b := x;
  (x, , y) := f(1);
  (x) := f(1);
  f(x, y = 1) annotation(a);
  if x > 1 then
    x := 1;
  elseif x > 2 then
    return;
  else
    y := 1;
  end if;
  for i in 1:3 loop
    x := x + i;
    if x > 5 then
      break;
    end if;
  end for;
  while x < 3 loop
    x := x + 1;
  end while;
  when time > 1 then
    x := 1;
  elsewhen time > 2 then
    x := 2;
  end when;
algorithm
end Equations;
