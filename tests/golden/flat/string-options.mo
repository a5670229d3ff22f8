model ToStr
  Real x(start = 1, fixed = true);
  Integer n = 3;
equation
  der(x) = 1;
  assert(x < 3, "x = " + String(x, significantDigits = 14) + " and " + String(n, minimumLength = 5, leftJustified = false) + String(x, format = "%8.3f"));
end ToStr;
