model vdpol "Van der Pol's oscillator, scaled, with a stiff parameter of 1e-6"
  constant Real eps = 1e-6;
  Real y[2](start = {2, 0});
equation
  der(y[1]) = y[2];
  der(y[2]) = ((1 - y[1]^2)*y[2] - y[1])/eps;
  annotation(experiment(StopTime = 2));
end vdpol;
