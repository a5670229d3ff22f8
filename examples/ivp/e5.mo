model e5 "Pyrolysis: four species, eighteen decades of size, thirteen of time"
  constant Real A = 7.89e-10, B = 1.1e7, C = 1.13e3, M = 1e6;
  Real y[4](start = {1.76e-3, 0, 0, 0}, each nominal = 1.7e-18);
equation
  der(y[1]) = -A*y[1] - B*y[1]*y[3];
  der(y[2]) = A*y[1] - M*C*y[2]*y[3];
  der(y[4]) = B*y[1]*y[3] - C*y[4];
  der(y[3]) = der(y[2]) - der(y[4]);
  annotation(experiment(StopTime = 1e13));
end e5;
