model Ladder "Resistor-capacitor ladder with n cells: 4 n equations, driven at one end"
  parameter Integer n = 1000 "cells";
  parameter Real R = 1, C = 1e-3;
  Real u = sin(time) "source";
  Real v[n](each start = 0, each fixed = true) "voltage of each capacitor";
  Real vr[n] "voltage across each resistor";
  Real ir[n] "current through it";
  Real ic[n] "current into each capacitor";
equation
  for i in 1:n loop
    vr[i] = (if i == 1 then u else v[i - 1]) - v[i];
    vr[i] = R*ir[i];
    ic[i] = ir[i] - (if i == n then 0 else ir[i + 1]);
    C*der(v[i]) = ic[i];
  end for;
  annotation(experiment(StopTime = 10, Tolerance = 1e-6));
end Ladder;
