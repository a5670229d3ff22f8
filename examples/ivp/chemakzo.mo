model chemakzo "Chemical Akzo Nobel problem: index 1, 6 unknowns"
  constant Real k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, K = 34.4, klA = 3.3, Ks = 115.83, pCO2 = 0.9, H = 737;
  Real y[6](start = {0.444, 0.00123, 0, 0.007, 0, 115.83*0.444*0.007}, each fixed = false);
  Real r1 = k1*y[1]^4*sqrt(y[2]);
  Real r2 = k2*y[3]*y[4];
  Real r3 = k2/K*y[1]*y[5];
  Real r4 = k3*y[1]*y[4]^2;
  Real r5 = k4*y[6]^2*sqrt(y[2]);
  Real Fin = klA*(pCO2/H - y[2]);
equation
  der(y[1]) = -2*r1 + r2 - r3 - r4;
  der(y[2]) = -0.5*r1 - r4 - 0.5*r5 + Fin;
  der(y[3]) = r1 - r2 + r3;
  der(y[4]) = -r2 + r3 - 2*r4;
  der(y[5]) = r2 - r3 + r5;
  0 = Ks*y[1]*y[4] - y[6];
  annotation(experiment(StopTime = 180));
end chemakzo;
