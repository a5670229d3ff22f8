package Families "Models that grow: each one formula or component, n times"
  model Rod "Heat in a rod: n unknowns"
    parameter Integer n = 1000;
    parameter Real k = 1;
    Real T[n](each start = 1, each fixed = true);
  equation
    der(T[1]) = k*(T[2] - 2*T[1]);
    for i in 2:n - 1 loop
      der(T[i]) = k*(T[i + 1] - 2*T[i] + T[i - 1]);
    end for;
    der(T[n]) = k*(T[n - 1] - 2*T[n]);
    annotation(experiment(StopTime = 1, Tolerance = 1e-4));
  end Rod;

  model Tanks "A cascade: 2 n unknowns"
    parameter Integer n = 1000;
    parameter Real A = 1, k = 0.5;
    Real h[n](each start = 1, each fixed = true) "level";
    Real q[n] "flow out";
  equation
    for i in 1:n loop
      q[i] = k*sqrt(max(h[i], 1e-6));
    end for;
    A*der(h[1]) = 1 - q[1];
    for i in 2:n loop
      A*der(h[i]) = q[i - 1] - q[i];
    end for;
    annotation(experiment(StopTime = 1, Tolerance = 1e-4));
  end Tanks;

  connector Pin
    Real v;
    flow Real i;
  end Pin;

  partial model OnePort
    Pin p, n;
    Real v, i;
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end OnePort;

  model Resistor
    extends OnePort;
    parameter Real R = 1;
  equation
    v = R*i;
  end Resistor;

  model Capacitor
    extends OnePort(v(start = 0, fixed = true));
    parameter Real C = 1;
  equation
    C*der(v) = i;
  end Capacitor;

  model Source
    Pin p, n;
    parameter Real V = 1;
  equation
    p.v - n.v = V;
    p.i + n.i = 0;
  end Source;

  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Line "Resistors and capacitors, connected: 12 n + 6 unknowns"
    parameter Integer n = 100;
    Resistor r[n];
    Capacitor c[n];
    Source s;
    Ground g;
  equation
    connect(s.p, r[1].p);
    connect(s.n, g.p);
    for i in 1:n - 1 loop
      connect(r[i].n, r[i + 1].p);
    end for;
    for i in 1:n loop
      connect(r[i].n, c[i].p);
      connect(c[i].n, g.p);
    end for;
    annotation(experiment(StopTime = 1, Tolerance = 1e-4));
  end Line;

  model Cube "Heat in a cube with cold faces: n^3 unknowns"
    parameter Integer n = 10;
    parameter Real k = 1;
    Real T[n, n, n](each start = 1, each fixed = true);
  equation
    for i in 1:n, j in 1:n, l in 1:n loop
      der(T[i, j, l]) = k*((if i > 1 then T[i - 1, j, l] else 0) + (if i < n then T[i + 1, j, l] else 0) +
        (if j > 1 then T[i, j - 1, l] else 0) + (if j < n then T[i, j + 1, l] else 0) +
        (if l > 1 then T[i, j, l - 1] else 0) + (if l < n then T[i, j, l + 1] else 0) - 6*T[i, j, l]);
    end for;
    annotation(experiment(StopTime = 1, Tolerance = 1e-4));
  end Cube;
end Families;
