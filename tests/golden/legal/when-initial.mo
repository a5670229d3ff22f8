// A when-clause is active during initialization if initial() itself is a condition of it, and not if
// something only comes to the same (section 8.6).
model WhenInitial
  function same
    input Boolean b;
    output Boolean c = b;
  end same;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true);
equation
  when {same(initial()), sample(0.1, 0.1)} then
    x = 2;
  end when;
  when {initial(), sample(0.1, 0.1)} then
    y = 2;
  end when;
  when initial() or time > 0.5 then
    z = 2;
  end when;
  assert(time > 0 or x == 0 and y == 2 and z == 0, "at initialization");
  assert(time < 0.2 or x == 2, "later");
end WhenInitial;
