model hires "High irradiance response of plants: 8 stiff reactions"
  Real y[8](start = {1, 0, 0, 0, 0, 0, 0, 0.0057});
equation
  der(y[1]) = -1.71*y[1] + 0.43*y[2] + 8.32*y[3] + 0.0007;
  der(y[2]) = 1.71*y[1] - 8.75*y[2];
  der(y[3]) = -10.03*y[3] + 0.43*y[4] + 0.035*y[5];
  der(y[4]) = 8.32*y[2] + 1.71*y[3] - 1.12*y[4];
  der(y[5]) = -1.745*y[5] + 0.43*y[6] + 0.43*y[7];
  der(y[6]) = -280*y[6]*y[8] + 0.69*y[4] + 1.71*y[5] - 0.43*y[6] + 0.69*y[7];
  der(y[7]) = 280*y[6]*y[8] - 1.81*y[7];
  der(y[8]) = -280*y[6]*y[8] + 1.81*y[7];
  annotation(experiment(StopTime = 321.8122));
end hires;
