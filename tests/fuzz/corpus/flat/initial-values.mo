model InitialValues
  parameter Real x0 = 1;
  parameter Real k(fixed = false);
  Real x(start = x0, fixed = true, nominal = 10), y;
initial equation
  y = 2;
  der(y) = k;
equation
  der(x) = -k*x;
  der(y) = -y;
  annotation(experiment(StartTime = 1, StopTime = 5, Tolerance = 1e-8, Interval = 0.01),
             __Vincolo(method = "radau5", formulation = "ggl"));
end InitialValues;
