// The bounds of these slices are known only when the function runs: a sum, a scalar product, a product of an
// expression of slices, and an assignment to a slice; of nothing they are 0 and 1.
model SlicesWithBoundsOfTheRun
  function moments
    input Real P[:];
    input Integer k;
    output Real s, q, f, d;
  protected
    Real w[size(P, 1)];
  algorithm
    s := 2*sum(P[1:k]) - 1;
    q := P[1:k]*P[1:k];
    f := product(2*P[1:k] - P[2:k + 1]);
    w := zeros(size(P, 1));
    w[2:k] := P[2:k] .* P[1:k - 1] + P[2:k];
    d := 0;
    for i in 1:size(P, 1) loop
      d := d + w[i];
    end for;
  end moments;
  Integer k(start = 0, fixed = true);
  Real s, q, f, d;
equation
  when sample(0.05, 0.1) then
    k = pre(k) + 1;
  end when;
  (s, q, f, d) = moments({i for i in 1:12} .+ 0*time, k);
  assert(s == k*(k + 1) - 1, "1 + ... + k is k (k + 1)/2");
  assert(q == k*(k + 1)*(2*k + 1)/6, "their squares");
  assert(f == (if k == 0 then 1 else 0), "2 i - (i + 1) is 0 for 1");
  assert(d == max(0, k*(k + 1)*(2*k + 1)/6 - 1), "i (i - 1) + i is i^2");
end SlicesWithBoundsOfTheRun;
