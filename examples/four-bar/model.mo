model FourBar "N loops of uniform rods; in-line positions are singular"
  parameter Integer N = 1;
  parameter Real g = 9.81;
  Real a[N + 1](each start = 0, each fixed = true) "verticals, from upright, clockwise";
  Real b[N](each start = 0) "couplers, from horizontal";
  Real w(start = 1, fixed = true);
  Real x = sin(a[1]), y = cos(a[1]);
equation
  der(a[1]) = w;
  Vincolo.lagrange(q = cat(1, a, b),
    T = sum(der(a[i])^2/6 for i in 1:N + 1)
      + sum(((cos(a[j])*der(a[j]) - sin(b[j])*der(b[j])/2)^2 + (sin(a[j])*der(a[j]) - cos(b[j])*der(b[j])/2)^2)/2 + der(b[j])^2/24 for j in 1:N),
    V = g*(sum(cos(a[i])/2 for i in 1:N + 1) + sum(cos(a[j]) + sin(b[j])/2 for j in 1:N)),
    Phi = cat(1, {sin(a[j]) + cos(b[j]) - 1 - sin(a[j + 1]) for j in 1:N}, {cos(a[j]) + sin(b[j]) - cos(a[j + 1]) for j in 1:N}));
  annotation(experiment(StopTime = 10, Tolerance = 1e-8), __Vincolo(
    draw = {trace({sin(a[1]) + cos(b[1])/2, cos(a[1]) + sin(b[1])/2}),
      {rod({j - 1, 0}, {j - 1 + sin(a[j]), cos(a[j])}) for j in 1:N + 1},
      {rod({j - 1 + sin(a[j]), cos(a[j])}, {j + sin(a[j + 1]), cos(a[j + 1])}) for j in 1:N}}));
end FourBar;
