model Passivity "Energy supplied to a capacitor with a resistor in parallel, and to a negative resistor"
  parameter Real R = 2, C = 0.5;
  Real u "current driven into each of them";
  Real v(start = 0, fixed = true) "voltage of the passive circuit";
  Real supplied(start = 0, fixed = true) "integral of u*v";
  Real stored "storage function";
  Real dissipated(start = 0, fixed = true) "integral of v^2/R, never decreasing";
  Real w "voltage of the negative resistor";
  Real drawn(start = 0, fixed = true) "integral of u*w: falls without bound, so the element is active";
equation
  u = sin(time);
  C*der(v) = u - v/R;
  der(supplied) = u*v;
  stored = C*v^2/2;
  der(dissipated) = v^2/R;
  w = -u/2;
  der(drawn) = u*w;
  annotation(experiment(StopTime = 10, Tolerance = 1e-10));
end Passivity;
