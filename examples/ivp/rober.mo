model rober "Robertson's autocatalytic reaction: three species over eleven decades of time"
  Real y[3](start = {1, 0, 0}, each nominal = 1e-4);
equation
  der(y[1]) = -0.04*y[1] + 1e4*y[2]*y[3];
  der(y[2]) = 0.04*y[1] - 1e4*y[2]*y[3] - 3e7*y[2]^2;
  der(y[3]) = 3e7*y[2]^2;
  annotation(experiment(StopTime = 1e11));
end rober;
