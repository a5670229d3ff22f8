model Index2Stabilised "The constraint of the index-2 example with its violation z as a state that decays"
  parameter Real tau = 0.1;
  Real x(start = 0), y(start = -1), z(start = 0);
equation
  der(x) + y = 0;
  tau*der(z) + z = 0;
  z = x - sin(time);
  annotation(experiment(StopTime = 5));
end Index2Stabilised;
