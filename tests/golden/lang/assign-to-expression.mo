function f
algorithm
  x + 1 := 2;
  (a, b) := 3;
  f(x) := 1;
end f;
