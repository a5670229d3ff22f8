// The bounds of these ranges are known only when the function runs: a mean of what has been sampled so
// far, its variance, a product, and a sum in a sum; of nothing they are 0 and 1.
model SumsOverRangesOfTheRun
  function mean
    input Real P[:];
    input Integer k;
    output Real y;
  algorithm
    if k == 0 then
      y := 0;
    else
      y := sum(P[i] for i in 1:k)/k;
    end if;
  end mean;
  function moments
    input Real P[:];
    input Integer k;
    output Real v, f, d;
  protected
    Real m;
  algorithm
    m := sum(P[i] for i in 1:k)/k;
    v := sum((P[i] - m)^2 for i in 1:k)/k;
    f := product(i for i in 2:k);
    d := 0.5*sum(sum(1.0*j for j in 1:i) for i in 1:k) + sum(1 for i in k + 1:k);
  end moments;
  Real buffer[10](each start = 0, each fixed = true);
  Integer k(start = 0, fixed = true);
  Real v, f, d, average = mean(buffer, k);
algorithm
  when sample(0.05, 0.1) then
    k := pre(k) + 1;
    buffer[k] := k;
  end when;
equation
  (v, f, d) = moments(buffer, max(k, 1));
  assert(abs(average - (if k == 0 then 0 else (k + 1)/2)) < 1e-12, "the mean of 1 ... k is (k + 1)/2");
  assert(k == 0 or abs(v - (k^2 - 1)/12) < 1e-12, "their variance is (k^2 - 1)/12");
  assert(k <> 5 or f == 120, "5! is 120");
  assert(k == 0 or abs(d - k*(k + 1)*(k + 2)/12) < 1e-12, "tetrahedral numbers, halved");
end SumsOverRangesOfTheRun;
