model Index1 "Semi-explicit, index 1: y follows from x by one nonlinear equation"
  Real x(start = 2, fixed = true), y(start = 1);
equation
  der(x) = -x + y;
  0 = y^3 + y - x;
  annotation(experiment(StopTime = 2));
end Index1;
