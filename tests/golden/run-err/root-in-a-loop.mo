// One element of a loop has no value: the message names it.
model RootInALoop
  parameter Integer n = 20;
  Real h[n](start = {if i == 11 then 1 else 100 for i in 1:n}, each fixed = true);
equation
  for i in 1:n loop
    der(h[i]) = -sqrt(h[i])*2 - 0.1;
  end for;
  annotation(experiment(StopTime = 2));
end RootInALoop;
