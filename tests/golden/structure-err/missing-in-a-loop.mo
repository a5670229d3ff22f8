// One equation too few: the loop that ends early leaves out the last element.
model MissingInALoop
  parameter Integer n = 20;
  Real h[n](each start = 1), v[n];
equation
  for i in 1:n loop
    v[i] = 2*h[i]^2;
  end for;
  for i in 1:n - 1 loop
    der(h[i]) = -v[i]*2;
  end for;
end MissingInALoop;
