model Spring "Mass on a hardening spring; the spring's force is an algebraic unknown: index 1"
  Real u(start = 0, fixed = true), v(start = 0, fixed = true), r;
equation
  der(u) = v;
  der(v) = -r + cos(time);
  0 = r - (u + u^3);
  annotation(experiment(StopTime = 10));
end Spring;
