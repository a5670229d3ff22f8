model Pendulum "a pendulum as differential equations, damped; length and start angle are varied"
  parameter Real L = 1, g = 9.81, d = 0.1;
  Real phi(start = 1, fixed = true), w(start = 0, fixed = true);
equation
  der(phi) = w;
  der(w) = -g/L*sin(phi) - d*w;
end Pendulum;
