// A ring whose matrix is singular at the start values 0: x = 1 and x = -1 are its solutions.
model LargeBlockSingularAtItsGuess
  parameter Integer n = 150;
  Real x[n];
  Real y(start = 1, fixed = true);
equation
  for i in 1:n loop
    x[i]^2 + 0.125*(x[mod(i, n) + 1] - x[i]) = 1;
  end for;
  der(y) = -y*x[1]^2;
  assert(abs(x[1]^2 - 1) < 1e-6 and abs(x[n] - x[1]) < 1e-6, "one of the two");
end LargeBlockSingularAtItsGuess;
