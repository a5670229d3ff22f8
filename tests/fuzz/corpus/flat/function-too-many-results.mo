function sumAndDifference
  input Real a, b;
  output Real sum;
  output Real difference;
algorithm
  sum := a + b;
  difference := a - b;
end sumAndDifference;

model FunctionTooManyResults
  Real s, d, p;
equation
  (s, d, p) = sumAndDifference(time, 1);
end FunctionTooManyResults;
