model DoubleIntegrator "A mass that is pushed"
  input Real u(unit = "m/s2") "push per mass";
  Real x(start = 0, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
equation
  der(x) = v;
  der(v) = u;
end DoubleIntegrator;
