// Time constants given, the elements of many circuits wanted: the solutions lie beyond r = 0, where no
// iteration on (l + a)/r comes. By hand: r = (a - b)/(T3 - T6), l = T3*r - a.
model InitialBeyondAPole
  parameter Integer n = 300;
  parameter Real l[n](each fixed = false, each start = 0.1);
  parameter Real r[n](each fixed = false, each start = 0.01);
  parameter Real a = 0.22;
  parameter Real b = 0.065;
  parameter Real T3[n] = linspace(30, 35, n);
  parameter Real T6[n] = T3*0.346/0.31;
  Real x(start = 1, fixed = true);
initial equation
  for i in 1:n loop
    T3[i] = (l[i] + a)/r[i];
    T6[i] = (l[i] + b)/r[i];
  end for;
equation
  der(x) = -x;
  for i in 1:n loop
    assert(abs(r[i] - (a - b)/(T3[i] - T6[i])) < 1e-9 and r[i] < 0, "the resistance");
    assert(abs(l[i] - (T3[i]*r[i] - a)) < 1e-9, "the inductance");
  end for;
end InitialBeyondAPole;
