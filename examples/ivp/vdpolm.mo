model vdpolm "Van der Pol's oscillator with a damping of 1000, in its own time"
  constant Real mu = 1000;
  Real y[2](start = {2, 0});
equation
  der(y[1]) = y[2];
  der(y[2]) = mu*(1 - y[1]^2)*y[2] - y[1];
  annotation(experiment(StopTime = 2000));
end vdpolm;
