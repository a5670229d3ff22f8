model Energy "The pendulum in its angle: no constraint, so only the method can lose energy"
  parameter Real g = 9.81, l = 1;
  Real theta(start = 1.5707963267948966, fixed = true) "from the downward vertical";
  Real w(start = 0, fixed = true);
  Real E = l^2*w^2/2 - g*l*cos(theta);
equation
  der(theta) = w;
  l*der(w) = -g*sin(theta);
  annotation(experiment(StopTime = 10));
end Energy;
