// A buffer of samples is one cell of 700 equations, which is not computed while its clause does not
// fire. `brief` is true only while an event settles: what its clause gave must be taken back.
model BufferOfSamples
  parameter Integer n = 700;
  Real buf[n](each start = 0, each fixed = true), kept[n](each start = 0, each fixed = true);
  Integer k(start = 0, fixed = true);
  Boolean late = time > 0.105, soon = late or k > 1000, brief = late and not soon;
  Real u = 10*time^2, last = buf[n], sum_kept = sum(kept);
algorithm
  when sample(0, 0.01) then
    k := pre(k) + 1;
    buf[k] := u;
  end when;
algorithm
  when brief then
    for i in 1:n loop
      kept[i] := i*(u + sin(u));
    end for;
  end when;
equation
  assert(time < 0.9 or abs(buf[20] - 10*0.19^2) < 1e-12 and abs(buf[91] - 10*0.9^2) < 1e-12, "samples");
  assert(sum_kept == 0, "a clause that never holds at rest has acted");
end BufferOfSamples;
