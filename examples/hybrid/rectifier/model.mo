model Rectifier "A full-wave rectifier: four ideal diodes, a capacitor, a load"
  parameter Real f = 50 "Hz", amplitude = 10 "V", R_source = 0.1, R_load = 10, C = 5e-3;
  parameter Real R_on = 1e-5 "of a diode that conducts", G_off = 1e-5 "of one that does not";
  Real u "source voltage", i "source current", v(start = 0, fixed = true) "voltage of the load";
  Real s[4](each start = -1) "along the characteristic of each diode: voltage if off, current if on";
  Real ud[4], id[4] "voltage and current of each diode";
  Boolean off[4](each start = true);
  Real a, b "potentials of the two sides of the source, against the negative rail";
equation
  u = amplitude*sin(2*3.14159265358979323846*f*time);
  a - b = u - R_source*i;
  for k in 1:4 loop
    off[k] = s[k] < 0;
    ud[k] = s[k]*(if off[k] then 1 else R_on);
    id[k] = s[k]*(if off[k] then G_off else 1);
  end for;
  ud[1] = a - v; // from a to the positive rail
  ud[2] = b - v;
  ud[3] = -a;    // from the negative rail to a
  ud[4] = -b;
  i = id[1] - id[3];
  -i = id[2] - id[4];
  C*der(v) = id[1] + id[2] - v/R_load;
  annotation(experiment(StopTime = 0.06, Tolerance = 1e-8));
end Rectifier;
