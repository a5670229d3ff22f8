model LateBesideLargeSides
  "Relations of time whose change is due before it shows beside the numbers it is added to"
  Integer n(start = 0, fixed = true);
  Real y = if 1e6 + time > 1e6 then 1 else 0;
  Real s = 1 + time + 2*time;
  Real z = if s > 1 then 1 elseif s > 0.5 then 2 else 3;
algorithm
  when 1 + time > 1 then
    n := n + 1;
  end when;
  when {1 + time > 1.25, 1 + time > 1.5} then
    n := n + 1;
  end when;
equation
  assert(time < 1e-6 or y > 0.5 and z < 1.5, "both hold once time shows");
  assert(time < 0.9 or n == 3, "three changes");
end LateBesideLargeSides;
