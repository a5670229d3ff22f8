model orego "Oregonator: an oscillating reaction with sudden jumps"
  Real y[3](start = {1, 2, 3});
equation
  der(y[1]) = 77.27*(y[2] + y[1]*(1 - 8.375e-6*y[1] - y[2]));
  der(y[2]) = (y[3] - (1 + y[1])*y[2])/77.27;
  der(y[3]) = 0.161*(y[1] - y[3]);
  annotation(experiment(StopTime = 360));
end orego;
