model Samples "events in the log: samples, relations of time, a clause that fires at the end"
  Integer n(start = 0);
  Boolean late = time > 0.6;
  discrete Real last(start = 0);
equation
  when sample(0.25, 0.25) then
    n = pre(n) + 1;
  end when;
  when terminal() then
    last = n;
  end when;
end Samples;
