model AssignedTwice "A statement sees what the one before it assigned, from the first on: x = 2, y = 1"
  Real x, y;
algorithm
  x := 1;
  y := x;
  x := x*2;
end AssignedTwice;
