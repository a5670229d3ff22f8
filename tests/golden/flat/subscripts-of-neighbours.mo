// Neighbours around a ring, at a wall, and every second one. What is counted on from member to member must be
// what each member says by itself.
model Neighbours
  parameter Integer n = 7;
  Real x[n], y[2*n], z[3, n];
equation
  for i in 1:n loop
    x[i] = y[mod(i, n) + 1] + y[mod(i - 2, n) + 1] + y[n + mod(-i, 3)];
    y[2*i] = x[max(i - 1, 1)] - x[min(i + 1, n)];
    y[2*i - 1] = x[div(i + 1, 2)] + x[rem(i, n) + 1] + x[if i == 1 then n else i - 1];
    for j in 1:3 loop
      z[j, i] = time*x[max(1, min(n, i*j))];
    end for;
  end for;
end Neighbours;
