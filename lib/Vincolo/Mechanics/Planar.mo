within Vincolo.Mechanics;
package Planar "Rigid bodies in the plane, in absolute coordinates; joints are constraints with their reactions"
  import Vincolo.Interfaces.{PlanarFrame, Shaft, RealInput, Passive};
  import Vincolo.Rotations.planar;
  annotation(Documentation(info = "
    Every body has its own position and angle; a joint joins two frames by constraints and carries their
    reactions as variables. Bodies are joined by joints, not directly: two bodies connected to each other
    would be one. Start values of bodies need only be near: they are moved onto the constraints."));

  function turned "Quarter turn to the left: {-y, x}"
    input Real a[2];
    output Real b[2];
  algorithm
    b := {-a[2], a[1]};
    annotation(Inline = true);
  end turned;

  model World "Gravity for all bodies; declare it once as 'inner Planar.World world'"
    parameter Real g[2](each unit = "m/s2") = {0, -9.81};
  end World;

  model Fixed "Point of the ground"
    PlanarFrame frame;
    parameter Real r[2](each unit = "m") = {0, 0};
    parameter Real phi(unit = "rad") = 0;
  equation
    Connections.root(frame.body);
    frame.r = r;
    frame.phi = phi;
    annotation(__Vincolo(draw = {point(r)}));
  end Fixed;

  partial model Rigid "m r'' = force + m g, J phi'' = torque: what all rigid bodies share"
    extends Passive;
    parameter Real m(unit = "kg", min = 0) = 1;
    parameter Real J(unit = "kg.m2", min = 0) = 0.1 "about the mass centre";
    Real r[2](each unit = "m", each start = 0) "mass centre";
    Real v[2](each unit = "m/s", each start = 0);
    Real phi(unit = "rad", start = 0);
    Real w(unit = "rad/s", start = 0);
    Real force[2](each unit = "N") "sum of the forces at the frames";
    Real torque(unit = "N.m") "sum of the torques about the mass centre";
  protected
    outer World world;
  equation
    v = der(r);
    w = der(phi);
    m*der(v) = force + m*world.g;
    J*der(w) = torque;
    power = force*v + torque*w;
    energy = m*(v*v)/2 + J*w^2/2 - m*(world.g*r);
    annotation(__Vincolo(draw = {point(r)}));
  end Rigid;

  model Body "Rigid body with a frame at each of the points 'at': torque = sum (tau + (R at) x f)"
    extends Rigid;
    parameter Real at[:, 2](each unit = "m") = [0, 0] "points with a frame, from the mass centre, in the body";
    PlanarFrame frame[size(at, 1)];
  protected
    Real arm[size(at, 1), 2] "the points from the mass centre, in the world";
  equation
    for k in 1:size(at, 1) loop
      arm[k, :] = planar(phi)*at[k, :];
      frame[k].r = r + arm[k, :];
      frame[k].phi = phi;
    end for;
    for k in 2:size(at, 1) loop
      Connections.branch(frame[1].body, frame[k].body);
    end for;
    Connections.potentialRoot(frame[1].body);
    force = {sum(frame.f[1]), sum(frame.f[2])};
    torque = sum(frame[k].tau + turned(arm[k, :])*frame[k].f for k in 1:size(at, 1));
    annotation(__Vincolo(draw = {rod(r, frame[k].r) for k in 1:size(at, 1)}));
  end Body;

  model PointMass "m r'' = f + m g; it does not turn with its frame"
    extends Passive;
    PlanarFrame frame;
    parameter Real m(unit = "kg", min = 0) = 1;
    Real r[2](each unit = "m", each start = 0), v[2](each unit = "m/s", each start = 0);
  protected
    outer World world;
  equation
    r = frame.r;
    Connections.potentialRoot(frame.body, 1);
    if Connections.isRoot(frame.body) then
      frame.phi = 0;
    else
      frame.tau = 0;
    end if;
    v = der(r);
    m*der(v) = frame.f + m*world.g;
    power = v*frame.f;
    energy = m*(v*v)/2 - m*(world.g*r);
    annotation(__Vincolo(draw = {point(r)}));
  end PointMass;

  model Bar "Uniform thin bar of length L: frame a at its left end, frame b at its right, J = m L^2/12"
    extends Rigid(J = m*L^2/12);
    parameter Real L(unit = "m") = 1;
    PlanarFrame a, b;
  protected
    Real half[2] "from the mass centre to b";
  equation
    half = L/2*{cos(phi), sin(phi)};
    a.r = r - half;
    b.r = r + half;
    a.phi = phi;
    b.phi = phi;
    Connections.branch(a.body, b.body);
    Connections.potentialRoot(a.body);
    force = a.f + b.f;
    torque = a.tau + b.tau + turned(half)*(b.f - a.f);
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end Bar;

  partial model Joint "Two frames; what acts on b acts back on a, moments taken about a"
    PlanarFrame a, b;
    Real f[2](each unit = "N") "force of the joint on what hangs on b";
    Real tau(unit = "N.m") "torque of the joint on what hangs on b";
  equation
    b.f = -f;
    b.tau = -tau;
    a.f + b.f = zeros(2);
    a.tau + b.tau + turned(b.r - a.r)*b.f = 0;
  end Joint;

  model Revolute "a.r = b.r; tau = torque of spring and damper"
    extends Joint;
    extends Passive;
    parameter Real c(unit = "N.m/rad", min = 0) = 0, d(unit = "N.m.s/rad", min = 0) = 0, phi0(unit = "rad") = 0;
    Real phi(unit = "rad") "angle from a to b";
  equation
    a.r = b.r;
    phi = b.phi - a.phi;
    tau = -c*(phi - phi0) - d*der(phi);
    power = -tau*der(phi);
    energy = c*(phi - phi0)^2/2;
    annotation(__Vincolo(draw = {point(a.r)}));
  end Revolute;

  model DrivenRevolute "a.r = b.r, phi and torque at a shaft: b turns with it against a"
    extends Joint;
    Shaft shaft;
    Real phi(unit = "rad") "angle from a to b";
  equation
    a.r = b.r;
    phi = b.phi - a.phi;
    shaft.phi = phi;
    tau = shaft.tau;
    annotation(__Vincolo(draw = {point(a.r)}));
  end DrivenRevolute;

  model Prismatic "b moves along n of a without turning: r_b - r_a = s R_a n; force of spring and damper along n"
    extends Joint;
    extends Passive;
    parameter Real n[2] = {1, 0} "direction in frame a";
    parameter Real c(unit = "N/m", min = 0) = 0, d(unit = "N.s/m", min = 0) = 0, s0(unit = "m") = 0;
    Real s(unit = "m") "distance along n";
    Real N(unit = "N") "reaction across n";
  protected
    final parameter Real e[2] = n/sqrt(n*n);
    Real direction[2];
  equation
    direction = planar(a.phi)*e;
    b.phi = a.phi;
    turned(direction)*(b.r - a.r) = 0;
    s = direction*(b.r - a.r);
    f = (-c*(s - s0) - d*der(s))*direction + N*turned(direction);
    power = (c*(s - s0) + d*der(s))*der(s);
    energy = c*(s - s0)^2/2;
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end Prismatic;

  model Slot "Pin of b in a straight slot of a: it slides and turns freely"
    extends Joint;
    parameter Real n[2] = {1, 0} "direction of the slot in frame a";
    Real s(unit = "m") "distance along n";
    Real N(unit = "N") "reaction across n";
  protected
    final parameter Real e[2] = n/sqrt(n*n);
    Real direction[2];
  equation
    direction = planar(a.phi)*e;
    turned(direction)*(b.r - a.r) = 0;
    s = direction*(b.r - a.r);
    f = N*turned(direction);
    tau = 0;
  end Slot;

  model Weld "a and b move as one: r_b = r_a, phi_b = phi_a + phi0"
    extends Joint;
    parameter Real phi0(unit = "rad") = 0;
  equation
    a.r = b.r;
    b.phi = a.phi + phi0;
  end Weld;

  model Rod "Massless rod: |r_b - r_a| = L, force along it"
    extends Joint;
    parameter Real L(unit = "m") = 1;
    Real tension(unit = "N") "positive when it pulls";
  equation
    (b.r - a.r)*(b.r - a.r) = L^2;
    f = -tension/L*(b.r - a.r);
    tau = 0;
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end Rod;

  model SpringDamper "Force along the line from a to b: c (length - s0) + d length'"
    extends Joint;
    extends Passive;
    parameter Real c(unit = "N/m", min = 0) = 1, d(unit = "N.s/m", min = 0) = 0, s0(unit = "m") = 0;
    Real length(unit = "m", start = 1);
    Real tension(unit = "N");
  equation
    length = sqrt((b.r - a.r)*(b.r - a.r));
    tension = c*(length - s0) + d*der(length);
    f = -tension*(b.r - a.r)/length;
    tau = 0;
    power = tension*der(length);
    energy = c*(length - s0)^2/2;
    annotation(__Vincolo(draw = {spring(a.r, b.r)}));
  end SpringDamper;

  model PrescribedAngle "b turns against a as the signal says: phi_b - phi_a = u; a.r = b.r"
    extends Joint;
    RealInput u;
  equation
    a.r = b.r;
    b.phi - a.phi = u;
  end PrescribedAngle;

  model PrescribedPosition "b moves along n of a as the signal says and does not turn: r_b - r_a = u R_a n"
    extends Joint;
    RealInput u(unit = "m");
    parameter Real n[2] = {1, 0} "direction in frame a";
    Real F(unit = "N") "force along n";
    Real N(unit = "N") "reaction across n";
  protected
    final parameter Real e[2] = n/sqrt(n*n);
    Real direction[2];
  equation
    direction = planar(a.phi)*e;
    b.phi = a.phi;
    b.r = a.r + u*direction;
    f = F*direction + N*turned(direction);
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end PrescribedPosition;

  model Motion "The frame is where the signals say: r = u, turned by phi"
    PlanarFrame frame;
    RealInput u[2](each unit = "m"), phi(unit = "rad");
  equation
    Connections.root(frame.body);
    frame.r = u;
    frame.phi = phi;
    annotation(__Vincolo(draw = {point(frame.r)}));
  end Motion;

  model Skate "Knife edge: no velocity across direction n of the body (non-holonomic)"
    PlanarFrame frame;
    parameter Real n[2] = {1, 0} "direction of the edge in the body";
    Real N(unit = "N") "force of the ground across the edge";
  protected
    final parameter Real e[2] = n/sqrt(n*n);
    Real across[2];
  equation
    across = turned(planar(frame.phi)*e);
    across*der(frame.r) = 0;
    frame.f = -N*across;
    frame.tau = 0;
  end Skate;

  model Force "The force u, in world coordinates, acts on the frame"
    PlanarFrame frame;
    RealInput u[2];
  equation
    frame.f = -u;
    frame.tau = 0;
  end Force;

  model Torque "The torque u acts on the frame"
    PlanarFrame frame;
    RealInput u;
  equation
    frame.f = zeros(2);
    frame.tau = -u;
  end Torque;

  model Contact "Plane through r0 with normal n: elastic layer with damping, N = c x + d x', friction mu N tanh(v/v1) along it"
    extends Passive;
    PlanarFrame frame;
    parameter Real n[2] = {0, 1} "normal of the plane, out of the ground";
    parameter Real r0[2](each unit = "m") = {0, 0} "point of the plane";
    parameter Real c(unit = "N/m", min = 0) = 1e5, d(unit = "N.s/m", min = 0) = 1e2;
    parameter Real mu(min = 0) = 0.5, v1(unit = "m/s") = 1e-3 "width of the smoothing of friction";
    Real h(unit = "m") "height above the plane";
    Real N(unit = "N") "normal force on the body";
    Real T(unit = "N") "friction on the body";
  protected
    final parameter Real e[2] = n/sqrt(n*n), along[2] = -turned(e);
  equation
    h = e*(frame.r - r0);
    N = if h < 0 then max(0, -c*h - d*der(h)) else 0;
    T = -mu*N*tanh(along*der(frame.r)/v1);
    frame.f = -T*along - N*e;
    frame.tau = 0;
    power = frame.f*der(frame.r);
    energy = if h < 0 then c*h^2/2 else 0;
  end Contact;
end Planar;
