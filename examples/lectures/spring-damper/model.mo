model SpringDamper "Mass, spring and damper, once by m, c, k and once by zeta and omega0, and driven"
  parameter Real m = 1 "mass", c = 0.4 "damping", k = 4 "stiffness";
  parameter Real omega0 = sqrt(k/m), zeta = c/(2*sqrt(k*m));
  parameter Real F0 = 1 "amplitude of the force on `driven`", omega = 2 "and its frequency";
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  Real normal(start = 1, fixed = true), dnormal(start = 0, fixed = true) "the same in (zeta, omega0)";
  Real driven(start = 0, fixed = true), ddriven(start = 0, fixed = true);
  Real F = F0*cos(omega*time);
equation
  der(x) = v;
  m*der(v) + c*v + k*x = 0;
  der(normal) = dnormal;
  der(dnormal) + 2*zeta*omega0*dnormal + omega0^2*normal = 0;
  der(driven) = ddriven;
  m*der(ddriven) + c*ddriven + k*driven = F;
  annotation(experiment(StopTime = 20, Tolerance = 1e-10));
end SpringDamper;
