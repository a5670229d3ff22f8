// What is solved for is divided by a parameter that is zero in one element.
model DividedInALoop
  parameter Integer n = 20;
  parameter Real A[n] = {if i == 13 then 0 else 1 for i in 1:n};
  Real h[n](each start = 1, each fixed = true);
equation
  for i in 1:n loop
    A[i]*der(h[i]) = -h[i]*2;
  end for;
  annotation(experiment(StopTime = 1));
end DividedInALoop;
