package Ports "One-ports u, y: u*y is the power that flows in"

  model Resistor "Memoryless"
    input Real i "current";
    output Real v "voltage";
    parameter Real R = 3;
  equation
    v = R*i;
  end Resistor;

  model RC "Capacitor and resistor in parallel: v/i = R/(1 + R C s)"
    input Real i;
    output Real v(start = 0, fixed = true);
    parameter Real R = 2, C = 0.5;
    Real stored = C*v^2/2;
  equation
    C*der(v) = i - v/R;
    annotation(__Vincolo(storage = stored));
  end RC;

  model LC "Inductor and capacitor in series: lossless"
    input Real v;
    output Real i(start = 0, fixed = true);
    parameter Real L = 1, C = 0.25;
    Real q(start = 0, fixed = true);
    Real stored = L*i^2/2 + q^2/(2*C);
  equation
    L*der(i) = v - q/C;
    der(q) = i;
    annotation(__Vincolo(storage = stored));
  end LC;

  model Parallel "The same voltage on both: currents add, and so do the energies"
    input Real v;
    output Real i;
    Real stored;
    LC a;
    LC b(L = 2, C = 1);
    parameter Real R = 10;
  equation
    a.v = v;
    b.v = v;
    i = a.i + b.i + v/R;
    stored = a.stored + b.stored;
    annotation(__Vincolo(storage = stored));
  end Parallel;

  model Late "Not passive although every pole is stable: the force answers too late beyond sqrt(2) rad/s"
    input Real u;
    output Real y;
    Real x(start = 0, fixed = true), dx(start = 0, fixed = true);
  equation
    dx = der(x);
    der(dx) + dx + x = u;
    y = 2*x + dx;
  end Late;

  model Pendulum "Torque and angular speed of a pendulum with friction: nonlinear"
    input Real torque;
    output Real w(start = 0, fixed = true);
    Real phi(start = 0, fixed = true);
    Real stored = w^2/2 + 9.81*(1 - cos(phi));
  equation
    der(phi) = w;
    der(w) = torque - 9.81*sin(phi) - 0.1*w;
    annotation(__Vincolo(storage = stored));
  end Pendulum;

  model VanDerPol "A current source of its own: for small voltages the resistor is negative"
    input Real i;
    output Real v(start = 0, fixed = true);
    Real f(start = 0, fixed = true);
  equation
    der(v) = i + v - v^3/3 - f;
    der(f) = v;
  end VanDerPol;

  model Cubic "A memoryless element that is not linear"
    input Real u;
    output Real y;
  equation
    y = u^3;
  end Cubic;
end Ports;
