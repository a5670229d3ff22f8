// Elements of comprehensions, and of reductions in equations: of iterators, names, elements, choices.
model Comprehensions
  function total
    input Real a[:, :];
    output Real s;
  algorithm
    s := sum(a[i, j]*a[mod(j, size(a, 2)) + 1, i] for i in 1:size(a, 1), j in 1:size(a, 2));
  end total;
  record Pair
    Integer a;
    Real b;
  end Pair;
  parameter Integer n = 3;
  constant Integer shift[3] = {2, 3, 1};
  parameter Real g = 2.5;
  parameter Real w[n] = {g*i + (if i > 1 then 1/i else 0) for i in 1:n};
  parameter Real A[n, n] = {{if i == j or i == j + 1 then -2 else 1/(i + j) for j in 1:n} for i in 1:n};
  parameter Integer nb[n, 2] = {{mod(i, n) + 1, mod(i + n - 2, n) + 1} for i in 1:n};
  parameter Integer lower[:] = {10*i + j for j in 1:i, i in 1:1};
  parameter Boolean odd[n] = {mod(i, 2) == 1 and i < n for i in 1:n};
  parameter Real ranks[:] = {x*x for x in {0.5, 1.5}};
  parameter Real none[:] = {i for i in 1:0};
  parameter String names[n] = {"cell" + String(i) for i in 1:n};
  parameter Pair pairs[n] = {Pair(i, w[i]) for i in 1:n};
  parameter Real t = total(A);
  parameter Real both[n] = {w[i] + A[i, shift[i]] for i in 1:n};
  parameter Real most = max(abs(A[i, j]) for i in 1:n, j in 1:n);
  Real x[n](start = {sin(i) for i in 1:n});
  Real y[n], z;
equation
  for i in 1:n loop
    der(x[i]) = sum(A[i, j]*x[j] for j in 1:n) + x[nb[i, 1]] - x[nb[i, 2]];
    y[i] = sum((if odd[j] then x[j] else -x[nb[j, 2]]) for j in i:n);
  end for;
  z = sum({w[i], 1}*{x[i], y[i]} for i) + product(x[i] for i in {1, 3});
end Comprehensions;
