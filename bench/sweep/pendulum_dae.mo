model PendulumDae "In Cartesian coordinates, held by its constraint: index 3"
  parameter Real L = 1, w = 3, g = 9.81;
  Real x(start = L), y, vx, vy, F;
initial equation
  x = L;
  vy = w;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -F*x/L;
  der(vy) = -F*y/L - g;
  x^2 + y^2 = L^2;
end PendulumDae;
