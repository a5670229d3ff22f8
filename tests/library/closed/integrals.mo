package Integrals "Vincolo.integral and Vincolo.solid against formulas; errors are times 1e4: 1e-9 is asked for"
  import Vincolo.Rotations.*;

  model Frustum "A cone cut off, in Cartesian and in polar coordinates: differences of two cones"
    parameter Real R = 0.4, h = 0.9, cut = 0.3, rho = 2700;
    parameter Solid s = Vincolo.solid({x, y, z, rho} for x in -sqrt((R*z/h)^2 - y^2):sqrt((R*z/h)^2 - y^2),
      y in -R*z/h:R*z/h, z in cut:h) "innermost first, as in sums";
    parameter Solid p = Vincolo.solid({r*cos(a), r*sin(a), z, rho} for z in cut:h, a in 0:2*pi, r in 0:R*z/h);
    parameter Real M = rho*pi*R^2*h/3, m = M*(cut/h)^3 "of the whole cone and of its tip";
    parameter Real z = (M*0.75*h - m*0.75*cut)/(M - m) "centre";
    parameter Real Jz = 0.3*(M*R^2 - m*(R*cut/h)^2);
    parameter Real Jx = M*(3/20*R^2 + 3/5*h^2) - m*(3/20*(R*cut/h)^2 + 3/5*cut^2) - (M - m)*z^2 "about the centre";
    Real error[8] = 1e4*{s.m/(M - m) - 1, s.c[3]/z - 1, s.J[3, 3]/Jz - 1, s.J[1, 1]/Jx - 1,
      p.m/(M - m) - 1, p.c[3]/z - 1, p.J[3, 3]/Jz - 1, p.J[2, 2]/Jx - 1};
  end Frustum;

  model Torus "m = 2 pi^2 R r^2 rho, Jz = m (R^2 + 3/4 r^2), Jx = m (R^2/2 + 5/8 r^2)"
    parameter Real R = 2, r = 0.5;
    parameter Solid s = Vincolo.solid({(R + q*cos(b))*cos(a), (R + q*cos(b))*sin(a), q*sin(b), 3}
      for q in 0:r, a in 0:2*pi, b in 0:2*pi);
    Real error[5] = 1e4*{s.m/(6*pi^2*R*r^2) - 1, s.J[3, 3]/(s.m*(R^2 + 0.75*r^2)) - 1,
      s.J[1, 1]/(s.m*(R^2/2 + 5/8*r^2)) - 1, s.J[1, 2], s.c*s.c};
  end Torus;

  model Octant "Of an ellipsoid, density 1 + x: integrals of x^i y^j z^k by gamma functions (Dirichlet 1839)"
    parameter Real a = 1, b = 2, c = 3;
    parameter Solid s = Vincolo.solid({x, y, z, 1 + x} for x in 0:a, y in 0:b*sqrt(1 - (x/a)^2),
      z in 0:c*sqrt(1 - (x/a)^2 - (y/b)^2));
    // over the octant of the ball: 1 pi/6, x pi/16, x^2 pi/30, x y 1/15, x^2 y pi/96, x y z 1/48
    Real m = a*b*c*(pi/6 + a*pi/16), x = a*b*c*(a*pi/16 + a^2*pi/30)/m, y = a*b*c*(b*pi/16 + a*b/15)/m;
    Real xy = a*b*c*(a*b/15 + a^2*b*pi/96);
    Real error[4] = 1e4*{s.m - m, s.c[1] - x, s.c[2] - y, s.J[1, 2] + xy - m*x*y};
  end Octant;

  model Thin "A hemispherical shell and a wire bent to a semicircle: centres at R/2 and 2 R/pi"
    parameter Real R = 1.5;
    parameter Solid shell = Vincolo.solid({R*sin(b)*cos(a), R*sin(b)*sin(a), R*cos(b), 7} for a in 0:2*pi, b in 0:pi/2);
    parameter Solid wire = Vincolo.solid({R*cos(a), R*sin(a), 0, 2} for a in 0:pi);
    Real error[6] = 1e4*{shell.m/(14*pi*R^2) - 1, shell.c[3]/(R/2) - 1, shell.J[3, 3]/(2/3*shell.m*R^2) - 1,
      wire.m/(2*pi*R) - 1, wire.c[2]/(2*R/pi) - 1, wire.J[3, 3]/(wire.m*R^2*(1 - 4/pi^2)) - 1};
  end Thin;

  model Singular "Integrals with square roots and logarithms at the ends, jumps inside; the potential of a cube"
    parameter Real one = 1, jump = 1/3;
    parameter Real off[5] = {Vincolo.integral(one/sqrt(x*(1 - x)) for x in 0:1) - pi, Vincolo.integral(log(x) for x in 0:one) + 1,
      Vincolo.integral((if x < jump then 1 else 2) for x in 0:one) - 2 + jump,
      Vincolo.integral(one/sqrt(x^2 + y^2 + z^2) for x in 0:1, y in 0:1, z in 0:1) - (1.5*log((sqrt(3) + 1)/(sqrt(3) - 1)) - pi/4),
      Vincolo.integral(x for x in one:0) + 0.5} "bounds in this order: minus the integral";
    Real error[5] = 1e4*off;
  end Singular;

  model Nested "The volume of a torus, 2 pi^2 R r^2, by integrals one inside the other"
    parameter Real R = 2, r = 0.5;
    parameter Real V = Vincolo.integral(Vincolo.integral(Vincolo.integral((R + q*cos(b))*q for q in 0:r) for a in 0:2*pi)
      for b in 0:2*pi);
    Real error = 1e4*(V/(2*pi^2*R*r^2) - 1);
  end Nested;

  model Vessel "A spherical tank that is filled at q: its level from V(h) = integral of the areas, V = pi h^2 (3 R - h)/3"
    parameter Real R = 1, q = 0.3;
    Real h(start = 0.5, fixed = true) "level";
    Real V = Vincolo.integral(pi*z*(2*R - z) for z in 0:h);
    Real error[2] = {pi*h^2*(3*R - h)/3 - V, V - (pi*0.25*(3*R - 0.5)/3 + q*time)};
  equation
    der(V) = q;
    annotation(experiment(StopTime = 5));
  end Vessel;

  model Moving "Rates of integrals over an interval and a square that move: Leibniz, to the second derivative"
    Real b = 1 + time^2/3, c = 2 + sin(time);
    Real line = Vincolo.integral(x*time for x in 0:b), square = Vincolo.integral(x*y^2 for x in 0:c, y in 0:x);
    Real rate = der(line), second = der(rate);
    Real error[3] = 1e4*{rate - (b^2/2 + b*time*der(b)), der(square) - c^4/3*der(c),
      second - (2*b*der(b) + time*((2*time/3)^2 + b*2/3))};
    annotation(experiment(StopTime = 2));
  end Moving;

  model Turning "A half-cylinder as a body: energy by the formulas of its moments"
    import Vincolo.Mechanics.Spatial.*;
    parameter Real R = 0.2, L = 0.5, rho = 1000;
    parameter Solid s = Vincolo.solid({x, y, z, rho} for x in -R:R, y in 0:sqrt(R^2 - x^2), z in 0:L);
    parameter Real m = rho*pi*R^2*L/2, e = 4*R/(3*pi);
    inner World world(g = zeros(3));
    Body body(m = s.m, J = s.J, r(each fixed = true), v(each fixed = true), p(each fixed = true),
      w(start = {1, 2, 3}, each fixed = true));
    parameter Solid plate = fromMoments({m, 0, m*e, 0, 0, m*R^2/4, 0, 0, 0, 0});
    parameter Real Jx = m*(R^2/4 + L^2/12 - e^2), Jy = m*(R^2/4 + L^2/12), Jz = m*(R^2/2 - e^2);
    Real error[4] = {body.energy/((Jx + 4*Jy + 9*Jz)/2) - 1, 1e4*(s.J[1, 1]/Jx - 1), 1e4*(s.J[2, 2]/Jy - 1),
      1e4*(plate.J[3, 3]/(m*(R^2/4 - e^2)) - 1)};
  end Turning;

  function areaBelow "A function that integrates: its argument is a bound"
    input Real b;
    output Real y;
  algorithm
    y := Vincolo.integral(x^2 for x in 0:b);
  end areaBelow;

  model InFunctions "In a function, in an integral, of an array"
    parameter Real two = 2;
    Real v[2] = Vincolo.integral({x, x*time} for x in 0:two);
    Real error[4] = 1e4*{areaBelow(time) - time^3/3, v[1] - 2, v[2] - 2*time,
      Vincolo.integral(Vincolo.integral(x*y for y in 0:x) for x in 0:two) - 2};
  end InFunctions;

  model Appendix "Formulas: [2 1 0; 1 3 1; 0 1 4] has the determinant 18 and the inverse [11 -4 1; -4 8 -2; 1 -2 5]/18; 3069/512"
    import Vincolo.Formulas.*;
    parameter Real A[3, 3] = [2, 1, 0; 1, 3, 1; 0, 1, 4], half = 0.5, one = 1;
    Real B[3, 3] = [1, time, 0; -time, 2, time^2; 3, 0, 4], I[3, 3] = B*inverse(B);
    Real t = time + 0.1;
    Real error[8] = 1e4*{determinant(A) - 18, max(abs(18*inverse(A) - [11, -4, 1; -4, 8, -2; 1, -2, 5])),
      max(abs(I - identity(3))), max(abs(identities(3*time, 1 - time))), geometric(3, half, 10) - 3069/512,
      geometric(3, one, 10) - 30, sec(t)^2 - tan(t)^2 - 1, csc(t)^2 - cot(t)^2 - 1};
  end Appendix;
end Integrals;
