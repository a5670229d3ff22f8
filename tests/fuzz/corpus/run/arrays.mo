model Arrays
  parameter Integer n = 3;
  parameter Real A[n, n] = [1, 2, 0; 0, 1, 3; 4, 0, 1];
  Real x[n](each start = 1, each fixed = true), y[n], s;
equation
  der(x) = -A*x/10;
  y = {sum(x[1:i]) for i in 1:n};
  s = x*y + max(y) - min(x) + product(x);
end Arrays;
