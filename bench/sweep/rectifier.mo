model Rectifier "A bridge of four ideal diodes between a source with its inductance and a smoothed load"
  parameter Real R = 50, C = 1e-3, L = 1e-3, V = 20, f = 50;
  parameter Real Ron = 1e-3, Goff = 1e-6;
  parameter Real pi = 3.14159265358979323846;
  Real i(start = 0, fixed = true) "of the source", u(start = 0, fixed = true) "of the load";
  Real s[4] "of the diodes: the voltage while one blocks, the current while it conducts";
  Real a "of the terminal of the source that the current enters, against the minus of the load", b;
  Boolean off[4](each start = true);
equation
  for k in 1:4 loop
    off[k] = s[k] < 0;
  end for;
  // Diodes: 1 from a to plus, 2 from b to plus, 3 from minus to a, 4 from minus to b.
  s[1]*(if off[1] then 1 else Ron) = a - u;
  s[2]*(if off[2] then 1 else Ron) = b - u;
  s[3]*(if off[3] then 1 else Ron) = -a;
  s[4]*(if off[4] then 1 else Ron) = -b;
  i = s[1]*(if off[1] then Goff else 1) - s[3]*(if off[3] then Goff else 1);
  -i = s[2]*(if off[2] then Goff else 1) - s[4]*(if off[4] then Goff else 1);
  L*der(i) = V*sin(2*pi*f*time) - 0.1*i - (a - b);
  C*der(u) = s[1]*(if off[1] then Goff else 1) + s[2]*(if off[2] then Goff else 1) - u/R;
end Rectifier;
