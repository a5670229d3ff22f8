// One equation too many: the notes name elements of the loop, and its lines.
model MemberOfALoop
  parameter Integer n = 20;
  Real h[n](each start = 1), v[n];
equation
  for i in 1:n loop
    v[i] = 2*h[i]^2;
    der(h[i]) = -v[i]*2;
  end for;
  v[7] = h[7]*3;
end MemberOfALoop;
