// String variables hold what their equations say; texts follow from sections 3.7.1 and 3.7.1.2.
model Strings
  type Mode = enumeration(off, low, high);
  function mark
    input Integer i;
    output String s = "#" + String(i);
  end mark;
  parameter Integer n = 12;
  parameter String p = "a" + String(n);
  String s, t, u, v[2], w, y;
  Mode mode = if time < 0.5 then Mode.low else Mode.high;
  Boolean slow;
  Real x = if s == "slow" then 1 else 2;
equation
  s = if slow then "slow" else "fast";
  slow = time < 0.25;
  t = u;
  "x = " + String(2.5) = t;
  v = {String(n), String(n, minimumLength = 5, leftJustified = false)};
  y = String(mode);
  assert(t == "x = 2.5" and u == t, "equal variables");
  assert(v[1] == "12" and v[2] == "   12" and p == "a12", "conversions");
  assert(String(integer(4*time)) == "0" or time >= 0.25, "numbers that move");
  assert((y == "high") == (mode == Mode.high) and y <> "off" and y <> "slow", "enumerations");
  assert(String(slow) == "true" and s <> "fast" or time >= 0.24, "Booleans");
  assert(if time < 0.24 then x < 1.5 else time < 0.26 or x > 1.5, "conditions");
algorithm
  w := "begin";
  w := w + "/" + mark(n);
  assert(w == "begin/#12", "algorithms");
end Strings;
