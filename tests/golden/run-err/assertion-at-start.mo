model AssertionAtStart
  type Mode = enumeration(off, low, high);
  Mode mode(start = Mode.low);
  Real x(start = 2, fixed = true);
equation
  der(x) = -x;
  mode = if x > 3 then Mode.high else Mode.low;
  assert(mode == Mode.high, (if x > 0 then "positive" else "negative") + ": x = " + String(x, significantDigits = 3));
end AssertionAtStart;
