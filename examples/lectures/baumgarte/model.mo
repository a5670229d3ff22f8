model Baumgarte "Pendulums with the stabilised multiplier written out"
  model Pendulum
    parameter Real m = 1, g = 9.81, zeta = 1, omega = 1;
    Real x(start = 1, fixed = true), y(start = 0, fixed = true), u(start = 0, fixed = true), v(start = 0, fixed = true);
    Real Phi = x^2 + y^2 - 1;
    Real lambda = m*(2*(u^2 + v^2) + 4*zeta*omega*(x*u + y*v) + omega^2*Phi - 2*g*y)/(4*(x^2 + y^2));
  equation
    der(x) = u;
    der(y) = v;
    m*der(u) = -2*x*lambda;
    m*der(v) = -2*y*lambda - m*g;
  end Pendulum;
  parameter Real g = 9.81, m = 1;
  Pendulum soft(g = g, m = m, zeta = 0.1, omega = 1), stiff(g = g, m = m, zeta = 0.1, omega = 10);
  Pendulum critical(g = g, m = m, zeta = 1, omega = 1), slow(g = g, m = m, zeta = 1, omega = 0.5);
  annotation(experiment(StopTime = 5));
end Baumgarte;
