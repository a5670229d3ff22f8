model SliderCrank "Planar slider-crank, free running, in crank angle, rod angle and slider position"
  parameter Real r = 0.15, l = 0.30 "lengths of crank and rod";
  parameter Real m1 = 0.36, m2 = 0.151104, m3 = 0.075552;
  parameter Real J1 = 0.002727, J2 = 0.0045339259 "about the mass centres";
  parameter Real g = 9.81;
  Real a(start = 0, fixed = true) "crank angle";
  Real b(start = 0) "rod angle";
  Real x(start = 0.45) "slider";
  Real w(start = 150, fixed = true) "crank rate";
  Real lambda[2];
equation
  der(a) = w;
  Vincolo.lagrange(q = {a, b, x},
    T = (J1 + m1*(r/2)^2)/2*der(a)^2
      + m2/2*((r*sin(a)*der(a) + l/2*sin(b)*der(b))^2 + (r*cos(a)*der(a) + l/2*cos(b)*der(b))^2)
      + J2/2*der(b)^2 + m3/2*der(x)^2,
    V = g*(m1*r/2*sin(a) + m2*(r*sin(a) + l/2*sin(b))),
    Phi = {r*cos(a) + l*cos(b) - x, r*sin(a) + l*sin(b)}, lambda = lambda);
  annotation(experiment(StopTime = 0.2),
    __Vincolo(draw = {trace(r*{cos(a), sin(a)} + l/2*{cos(b), sin(b)}), body({x, 0}, 0, "box", {0.08, 0.05}),
      rod({0, 0}, r*{cos(a), sin(a)}), rod(r*{cos(a), sin(a)}, {x, 0})}));
end SliderCrank;
