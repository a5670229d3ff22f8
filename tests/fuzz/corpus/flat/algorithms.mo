function divide
  input Integer a, b;
  output Integer q, r;
algorithm
  q := div(a, b);
  r := mod(a, b);
end divide;
model Algorithms
  Real x[3], s, t, u;
  Integer q, r, k;
  parameter Integer n = 3;
  Real old(start = 0);
algorithm
  s := 0;
  for i in 1:n loop
    x[i] := i*time;
    s := s + x[i];
  end for;
  x := {x[2], x[3], x[1]};
  if s > 1 then
    t := 1;
    u := 2;
  elseif s > 0.5 then
    t := 2;
  else
    t := 3;
  end if;
algorithm
  (q, r) := divide(17, n);
  k := 0;
  for i in 1:3 loop
    if x[i] > 1 then
      break;
    end if;
    k := k + 1;
  end for;
  when time > 1 then
    old := pre(old) + 1;
  end when;
initial algorithm
  old := 2;
end Algorithms;
