model Tank "Mass balance of a cylindrical tank: outflow given, and through a hole"
  parameter Real rho = 1000, A = 2, w_in = 5, w_out = 3, c = 10 "kg/(s.m^0.5)";
  Real pumped(start = 1, fixed = true) "level with both flows given";
  Real free(start = 1, fixed = true) "level with outflow c sqrt(h)";
  parameter Real steady = (w_in/c)^2;
equation
  rho*A*der(pumped) = w_in - w_out;
  rho*A*der(free) = w_in - c*sqrt(free);
  annotation(experiment(StopTime = 2000, Tolerance = 1e-10));
end Tank;
