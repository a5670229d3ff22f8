model Spin "A free body that tumbles: energy and angular momentum stay"
  parameter Real I[3] = {1, 2, 4};
  Real w[3](start = {0.3, 2, 0.1}, each fixed = true);
  Real E = (I[1]*w[1]^2 + I[2]*w[2]^2 + I[3]*w[3]^2)/2;
  Real L2 = I[1]^2*w[1]^2 + I[2]^2*w[2]^2 + I[3]^2*w[3]^2;
equation
  I[1]*der(w[1]) = (I[2] - I[3])*w[2]*w[3];
  I[2]*der(w[2]) = (I[3] - I[1])*w[3]*w[1];
  I[3]*der(w[3]) = (I[1] - I[2])*w[1]*w[2];
  annotation(experiment(StopTime = 100), __Vincolo(invariant = {E, L2}));
end Spin;
