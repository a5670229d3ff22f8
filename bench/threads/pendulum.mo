model Pendulum "Mathematical pendulum"
  parameter Real L = 1, g = 9.81, phi0 = 0.5;
  Real phi(start = phi0, fixed = true), w(start = 0, fixed = true);
  Real x = L*sin(phi), E = 0.5*L^2*w^2 - g*L*cos(phi);
equation
  der(phi) = w;
  der(w) = -g/L*sin(phi);
  annotation(experiment(StopTime = 10));
end Pendulum;
