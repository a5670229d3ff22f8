model Sleigh "Holonomic and non-holonomic rows, forces, a velocity variable, an energy with coupling"
  parameter Real m = 2, J = 0.1, g = 9.81, L = 1;
  Real x(start = 0), y(start = 0), phi(start = 0), z(start = 1);
  Real vx, F = sin(time);
equation
  der(x) = vx;
  Vincolo.lagrange(q = {x, y, phi, z}, T = m/2*(vx^2 + der(y)^2 + der(z)^2) + J/2*der(phi)^2
                   + m*L*cos(phi)*der(x)*der(phi),
                   V = m*g*z, Q = {F, 0, -0.1*der(phi), 0}, Phi = {z - x^2},
                   A = [sin(phi), -cos(phi), 0, 0], b = {0});
end Sleigh;
