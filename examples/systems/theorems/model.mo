package Theorems "The theorems behind balances, both sides with numbers"
  import Vincolo.Balance.{overBox, throughBox, Field, Vector};

  model MaterialDerivative "D phi/Dt = phi_t + v grad phi along the particle that moves with v, phi = x^2 y + t"
    Real x(start = 1, fixed = true), y(start = 2, fixed = true), z(start = 3, fixed = true) "a particle";
    Real phi "the field where the particle is";
    Real following "its rate for the particle";
    Real formula "phi_t + v grad phi";
  equation
    der(x) = y;
    der(y) = -x;
    der(z) = 1;
    phi = x^2*y + time;
    following = der(phi);
    formula = 1 + y*2*x*y - x*x^2;
  end MaterialDerivative;

  function u "u = (x^2 y, y z, z^2 x)"
    extends Vector;
  algorithm
    y := {x[1]^2*x[2], x[2]*x[3], x[3]^2*x[1]};
  end u;

  function divergence "div u = 2 x y + z + 2 z x"
    extends Field;
  algorithm
    y := 2*x[1]*x[2] + x[3] + 2*x[3]*x[1];
  end divergence;

  model Divergence "Flux of u out of the unit cube = integral of div u in it"
    parameter Real flux = throughBox(function u(), {0, 0, 0}, {1, 1, 1});
    parameter Real inside = overBox(function divergence(), {0, 0, 0}, {1, 1, 1});
    Real difference;
  equation
    difference = flux - inside;
  end Divergence;

  model Reynolds "d/dt of the integral of x t over [0, 1 + t] = integral of x + (x t) at the moving end"
    Real b = 1 + time "the moving end";
    Real amount "integral of x t over [0, b]";
    Real following "its rate";
    Real formula "integral of phi_t over [0, b] + phi(b) b'";
  equation
    amount = time*b^2/2;
    following = der(amount);
    formula = b^2/2 + b*time*der(b);
    annotation(experiment(StopTime = 2));
  end Reynolds;

  model EulerFluid "rho Dv/Dt = rho f - grad p in a vessel that turns at w: p grows with the radius as rho w^2 r^2/2"
    parameter Real rho = 1000, w = 2;
    Real r(start = 0, fixed = true) "from the axis outwards";
    Real p(start = 0, fixed = true) "pressure on the way";
  equation
    der(r) = 1;
    der(p) = rho*w^2*r;
  end EulerFluid;

  model Piston "Gas behind a piston that moves at up, without heat: vincolo region computes all balances"
    parameter Real up = 0.5;
    Real L = 1 + up*time "length of the cylinder";
    extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {L, 0.1, 0.1}, density = 1.2/L, velocity = {x*up/L, 0, 0},
      internal = 2e5*L^(-0.4), pressure = 0.4*density*internal, field = density*x^2);
  end Piston;

  model Whirl "Water that turns with its vessel, the surface a paraboloid: rho Dv/Dt = rho f - grad p"
    constant Real pi = 3.14159265358979;
    parameter Real om = 5, g = 9.81, R = 0.2;
    extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {R, 2*pi, 0.3 + om^2*u^2/(2*g)}, place = {u*cos(v), u*sin(v), w},
      density = 1000, velocity = {-om*y, om*x, 0}, pressure = density*(om^2*(x^2 + y^2)/2 + g*(0.3 - z)), force = {0, 0, -g},
      potential = g*z);
  end Whirl;
end Theorems;
