model First "A first-order system"
  parameter Real T = 2 "time constant";
  parameter Real k = 1/T;
  Real x(start = 1, fixed = true);
  Real y = 2*x;
equation
  der(x) = -k*x;
  annotation(experiment(StopTime = 10));
end First;
