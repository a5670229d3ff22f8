model RCDiodeLadder "Resistors in line, at each node a capacitor and a diode to ground"
  parameter Integer n = 10000 "nodes, one unknown each";
  parameter Real R = 1, C = 1e-3 "of each cell";
  parameter Real Is = 1e-6, Vt = 0.1 "saturation current and thermal voltage of the diodes";
  Real u = sin(time) "source";
  Real v[n](each start = 0, each fixed = true) "voltage of each node";
  Real i[n] "current into each node";
equation
  for k in 1:n loop
    R*i[k] = (if k == 1 then u else v[k - 1]) - v[k];
    C*der(v[k]) = i[k] - (if k == n then 0 else i[k + 1]) - Is*(exp(v[k]/Vt) - 1);
  end for;
  annotation(experiment(StopTime = 10, Tolerance = 1e-4));
end RCDiodeLadder;
