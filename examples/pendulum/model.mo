model Pendulum "Point mass on a rigid rod, in Cartesian coordinates"
  parameter Real L(unit = "m") = 1 "length of the rod";
  parameter Real g(unit = "m/s2") = 9.81 "gravity";
  Real x(start = 1, fixed = true, unit = "m") "to the right";
  Real y(start = 0, unit = "m") "upwards";
  Real vx(start = 0, fixed = true, unit = "m/s");
  Real vy(start = 0, unit = "m/s");
  Real F(unit = "N/(kg.m)") "tension of the rod per mass and length";
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x;
  der(vy) = -F*y - g;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-6),
    __Vincolo(draw = {rod({0, 0}, {x, y}), trace({x, y}), point({x, y})}));
end Pendulum;
