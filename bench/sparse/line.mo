model RLCLine "Transmission line of length 1 and unit wave speed, in N cells, closed by its impedance"
  parameter Integer N = 5000 "cells, two unknowns each";
  parameter Real L = 1/N, C = 1/N, R = 0.01/N "of each cell";
  Real u = sin(2*time)^2 "source";
  Real i[N](each start = 0, each fixed = true) "current through each inductor";
  Real v[N](each start = 0, each fixed = true) "voltage of each capacitor";
equation
  for k in 1:N loop
    L*der(i[k]) = (if k == 1 then u else v[k - 1]) - v[k] - R*i[k];
    C*der(v[k]) = i[k] - (if k == N then v[N] else i[k + 1]);
  end for;
  annotation(experiment(StopTime = 10, Tolerance = 1e-4));
end RLCLine;
