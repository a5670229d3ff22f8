// Equations that a loop or an array of components repeats.
function square
  input Real x;
  output Real y = x*x;
end square;

record Pair
  Real a, b;
end Pair;

model Cell
  parameter Integer m = 2;
  parameter Real R = 1;
  Real v, x[m];
  Pair pair;
equation
  v = R*x[1];
  for i in 1:m loop
    x[i] = i*v;
  end for;
  pair.a = if m > 1 then x[m] else 0;
  pair.b = max(v, 0.5);
end Cell;

model Loops
  parameter Integer n = 3, open = 1;
  parameter Integer shift[3] = {1, 0, -1};
  parameter Real k[3] = {1, 2, 3};
  Real T[n, n], u[n], w[n, 2], z[4], r[2], last[n], by[Boolean];
  Pair p[n];
  Cell c[2](R = {3, 4});
equation
  for i in 1:n, j in 1:n loop
    der(T[i, j]) = (if i > 1 then T[i - 1, j] else 0) + (if j < n and not i == j then T[i, j + 1] else 1) - 4*T[i, j]/n;
  end for;
  for i in 1:n loop
    if i == 1 then
      u[i] = sin(time);
    elseif i < n then
      u[i] = u[i - 1]^2 + i;
    else
      u[i] = -k[i]*u[i + shift[i]];
    end if;
    for j in 1:2 loop
      w[i, j] = square(u[i]) + min(j, u[i]);
    end for;
    p[i].a = if i < open then 1 else u[end];
    p[i].b = sum(k[q]*u[q] for q in 1:i);
    last[i] = der(u[i]);
  end for;
  for i in {1, 3} loop
    z[i:i + 1] = {u[1], i*0.5};
  end for;
  for x in {0.5, 1.5} loop
    r[integer(x + 0.5)] = x*u[1];
  end for;
  for b loop
    by[b] = if b then 1 else u[1];
  end for;
end Loops;
