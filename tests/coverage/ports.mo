package Ports "One-ports of one's own; u*y is the power that flows in"
  model Coil "A coil and a resistor in series: i/v = 1/(R + L s)"
    input Real v;
    output Real i(start = 0, fixed = true);
    Real stored = 0.2*i^2/2;
  equation
    0.2*der(i) + 3*i = v;
    annotation(__Vincolo(storage = stored));
  end Coil;

  model Both "Two coils side by side"
    input Real v;
    output Real i;
    Coil a, b;
  equation
    a.v = v;
    b.v = v;
    i = a.i + b.i;
  end Both;

  model Third "1/(s + 1)^3: stable, and not passive"
    input Real u;
    output Real y(start = 0, fixed = true);
    Real a(start = 0, fixed = true), b(start = 0, fixed = true);
  equation
    der(a) = u - a;
    der(b) = a - b;
    der(y) = b - y;
  end Third;

  model Saturating "Memoryless: y = tanh(u)"
    input Real u;
    output Real y;
  equation
    y = tanh(u);
  end Saturating;
end Ports;
