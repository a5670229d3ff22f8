within Vincolo.Mechanics;
package Spatial "Rigid bodies in space, in absolute coordinates; joints are constraints with their reactions"
  import Vincolo.Interfaces.{SpatialFrame, Shaft, RealInput, Passive};
  import Vincolo.Rotations.{fromQuaternion, rates, perpendicular, box};
  annotation(Documentation(info = "
    Every body has the position of its mass centre and a unit quaternion; a joint joins two frames by
    constraints and carries their reactions as variables. Bodies are joined by joints, not directly: two
    bodies connected to each other would be one. The torque at a frame is written as the quantity that
    is conjugate to the quaternion: tau = 2 G(p)' t for a torque t in body coordinates, t = G(p) tau/2, so
    that a frame has as many flows as potentials. Directions of joints are given in the frames they join;
    where both bodies stand unturned at the start, both are the same. Start values need only be near."));

  model World "Gravity for all bodies; declare it once as 'inner Spatial.World world'"
    parameter Real g[3](each unit = "m/s2") = {0, 0, -9.81};
  end World;

  model Fixed "Point of the ground, turned by the quaternion p"
    SpatialFrame frame;
    parameter Real r[3](each unit = "m") = {0, 0, 0};
    parameter Real p[4] = {1, 0, 0, 0};
  equation
    Connections.root(frame.body);
    frame.r = r;
    frame.p = p;
    annotation(__Vincolo(draw = {point(r)}));
  end Fixed;

  partial model Rigid "m r'' = force + m g, J w' + w x J w = torque (body coordinates), w = 2 G(p) p', |p| = 1"
    extends Passive;
    parameter Real m(unit = "kg", min = 0) = 1;
    parameter Real J[3, 3](each unit = "kg.m2") = 0.1*identity(3) "about the mass centre";
    Real r[3](each unit = "m", each start = 0) "mass centre";
    Real v[3](each unit = "m/s", each start = 0);
    Real p[4](start = {1, 0, 0, 0}) "orientation";
    Real w[3](each unit = "rad/s", each start = 0) "angular velocity in the body";
    Real force[3](each unit = "N") "sum of the forces, in the world";
    Real torque[3](each unit = "N.m") "sum of the torques about the mass centre, in the body";
  protected
    outer World world;
  equation
    v = der(r);
    w = 2*rates(p)*der(p);
    m*der(v) = force + m*world.g;
    J*der(w) + cross(w, J*w) = torque;
    power = force*v + torque*w;
    energy = m*(v*v)/2 + w*(J*w)/2 - m*(world.g*r);
    annotation(__Vincolo(draw = {point(r)}));
  end Rigid;

  model Body "Rigid body with a frame at each of the points 'at': torque = sum (G tau/2 + at x R' f)"
    extends Rigid;
    parameter Real at[:, 3](each unit = "m") = [0, 0, 0] "points with a frame, from the mass centre, in the body";
    SpatialFrame frame[size(at, 1)];
  protected
    Real tau[4] "sum of the generalised torques";
  equation
    for k in 1:size(at, 1) loop
      frame[k].r = r + fromQuaternion(p)*at[k, :];
      frame[k].p = p;
    end for;
    for k in 2:size(at, 1) loop
      Connections.branch(frame[1].body, frame[k].body);
    end for;
    Connections.potentialRoot(frame[1].body);
    if Connections.isRoot(frame[1].body) then
      p*p = 1;
    else
      p*tau = 0;
    end if;
    force = {sum(frame.f[1]), sum(frame.f[2]), sum(frame.f[3])};
    tau = {sum(frame.tau[1]), sum(frame.tau[2]), sum(frame.tau[3]), sum(frame.tau[4])};
    torque = rates(p)*tau/2 +
      {sum(at[k, 2]*local(p, frame[k].f, 3) - at[k, 3]*local(p, frame[k].f, 2) for k in 1:size(at, 1)),
       sum(at[k, 3]*local(p, frame[k].f, 1) - at[k, 1]*local(p, frame[k].f, 3) for k in 1:size(at, 1)),
       sum(at[k, 1]*local(p, frame[k].f, 2) - at[k, 2]*local(p, frame[k].f, 1) for k in 1:size(at, 1))};
    annotation(__Vincolo(draw = {rod(r, frame[k].r) for k in 1:size(at, 1)}));
  end Body;

  function local "Component i of a world vector in body coordinates"
    input Real p[4];
    input Real f[3];
    input Integer i;
    output Real y;
  protected
    Real R[3, 3] = fromQuaternion(p);
  algorithm
    y := R[1, i]*f[1] + R[2, i]*f[2] + R[3, i]*f[3];
    annotation(Inline = true);
  end local;

  model PointMass "m r'' = f + m g; its frame does not turn"
    extends Passive;
    SpatialFrame frame;
    parameter Real m(unit = "kg", min = 0) = 1;
    Real r[3](each unit = "m", each start = 0), v[3](each unit = "m/s", each start = 0);
  protected
    outer World world;
  equation
    r = frame.r;
    Connections.potentialRoot(frame.body, 1);
    if Connections.isRoot(frame.body) then
      frame.p = {1, 0, 0, 0};
    else
      frame.tau = zeros(4);
    end if;
    v = der(r);
    m*der(v) = frame.f + m*world.g;
    power = v*frame.f;
    energy = m*(v*v)/2 - m*(world.g*r);
    annotation(__Vincolo(draw = {point(r)}));
  end PointMass;

  model Bar "Body with frame a at -span/2 and frame b at span/2; J of a box unless stated"
    extends Rigid(J = box(m, size));
    parameter Real span[3](each unit = "m") = {1, 0, 0} "from a to b, in the body";
    parameter Real size[3](each unit = "m") = {sqrt(span*span), 0.1, 0.1} "sides of the box along the body's axes";
    SpatialFrame a, b;
  protected
    Real half[3] "from the mass centre to b, in the world";
  equation
    half = fromQuaternion(p)*span/2;
    a.r = r - half;
    b.r = r + half;
    a.p = p;
    b.p = p;
    Connections.branch(a.body, b.body);
    Connections.potentialRoot(a.body);
    if Connections.isRoot(a.body) then
      p*p = 1;
    else
      p*(a.tau + b.tau) = 0;
    end if;
    force = a.f + b.f;
    torque = rates(p)*(a.tau + b.tau)/2 + cross(span/2, transpose(fromQuaternion(p))*(b.f - a.f));
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end Bar;

  // ---- joints ---------------------------------------------------------------------------------

  partial model Joint "Two frames; what acts on b acts back on a, moments taken about a"
    SpatialFrame a, b;
    Real f[3](each unit = "N") "force of the joint on what hangs on b, in the world";
    Real t[3](each unit = "N.m") "torque of the joint on what hangs on b, in the world";
  equation
    b.f = -f;
    a.f = f;
    b.tau = -2*transpose(rates(b.p))*(transpose(fromQuaternion(b.p))*t);
    a.tau = 2*transpose(rates(a.p))*(transpose(fromQuaternion(a.p))*(t + cross(b.r - a.r, f)));
  end Joint;

  model Spherical "a.r = b.r; t = 0"
    extends Joint;
  equation
    a.r = b.r;
    t = zeros(3);
    annotation(__Vincolo(draw = {point(a.r)}));
  end Spherical;

  partial model Axis "Joint with an axis n, fixed in both frames: the axes coincide in direction"
    extends Joint;
    parameter Real n[3] = {0, 0, 1} "axis in frame a";
    parameter Real nb[3] = n "axis in frame b";
    Real axis[3] "unit vector of the axis in the world";
    Real w(unit = "rad/s") "relative speed about the axis";
  protected
    final parameter Real e[2, 3] = perpendicular(n) "across the axis, in frame a";
    final parameter Real ea[3] = n/sqrt(n*n), eb[3] = nb/sqrt(nb*nb);
  equation
    axis = fromQuaternion(a.p)*ea;
    (fromQuaternion(a.p)*e[1, :])*(fromQuaternion(b.p)*eb) = 0;
    (fromQuaternion(a.p)*e[2, :])*(fromQuaternion(b.p)*eb) = 0;
    w = 2*(eb*(rates(b.p)*der(b.p)) - ea*(rates(a.p)*der(a.p)));
  end Axis;

  model Revolute "a.r = b.r and a common axis: turns about n; torque -d w along it"
    extends Axis;
    extends Passive;
    parameter Real d(unit = "N.m.s/rad", min = 0) = 0;
  equation
    a.r = b.r;
    t*axis = -d*w;
    power = d*w^2;
    energy = 0;
    annotation(__Vincolo(draw = {point(a.r)}));
  end Revolute;

  model DrivenRevolute "Revolute whose relative speed and torque are those of a shaft"
    extends Axis;
    Shaft shaft;
  equation
    a.r = b.r;
    der(shaft.phi) = w;
    t*axis = shaft.tau;
    annotation(__Vincolo(draw = {point(a.r)}));
  end DrivenRevolute;

  model PrescribedRevolute "b turns against a about n by the angle u; it begins where u does, to half a turn"
    extends Axis;
    RealInput u(unit = "rad");
  protected
    Real ca, sa "cosine and sine of the angle, from a direction across the axis";
    final parameter Real c[3] = e[1, :] "turns with b; n and nb are the same here";
  equation
    a.r = b.r;
    ca = (fromQuaternion(a.p)*e[1, :])*(fromQuaternion(b.p)*c);
    sa = (fromQuaternion(a.p)*e[2, :])*(fromQuaternion(b.p)*c);
    sa*cos(u) - ca*sin(u) = 0;
  end PrescribedRevolute;

  partial model Straight "b moves along n of a and does not turn against it: r_b - r_a = s R_a n"
    extends Joint;
    parameter Real n[3] = {1, 0, 0} "direction in frame a";
    Real s(unit = "m") "distance along n";
    Real axis[3] "unit vector of the direction in the world";
  protected
    final parameter Real e[2, 3] = perpendicular(n), ea[3] = n/sqrt(n*n);
  equation
    axis = fromQuaternion(a.p)*ea;
    (fromQuaternion(a.p)*e[1, :])*(b.r - a.r) = 0;
    (fromQuaternion(a.p)*e[2, :])*(b.r - a.r) = 0;
    s = axis*(b.r - a.r);
    (fromQuaternion(a.p)*e[1, :])*(fromQuaternion(b.p)*ea) = 0;
    (fromQuaternion(a.p)*e[2, :])*(fromQuaternion(b.p)*ea) = 0;
    (fromQuaternion(a.p)*e[1, :])*(fromQuaternion(b.p)*e[2, :]) = 0;
  end Straight;

  model PrescribedPosition "b slides along n of a by the signal, s = u, and does not turn against it"
    extends Straight;
    RealInput u(unit = "m");
  equation
    s = u;
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end PrescribedPosition;

  model Motion "The frame is where the signals say: r = u, turned by the unit quaternion p"
    SpatialFrame frame;
    RealInput u[3](each unit = "m"), p[4];
  equation
    Connections.root(frame.body);
    frame.r = u;
    frame.p = p;
    annotation(__Vincolo(draw = {point(frame.r)}));
  end Motion;

  model Cylindrical "Common axis through a and b: turns about n and slides along it"
    extends Axis;
    Real s(unit = "m") "distance along the axis";
  equation
    (fromQuaternion(a.p)*e[1, :])*(b.r - a.r) = 0;
    (fromQuaternion(a.p)*e[2, :])*(b.r - a.r) = 0;
    s = axis*(b.r - a.r);
    f*axis = 0;
    t*axis = 0;
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end Cylindrical;

  model Screw "Cylindrical with s' = lead/(2 pi) w"
    extends Axis;
    parameter Real lead(unit = "m") = 0.01 "advance of one turn";
    Real s(unit = "m") "distance along the axis";
  equation
    (fromQuaternion(a.p)*e[1, :])*(b.r - a.r) = 0;
    (fromQuaternion(a.p)*e[2, :])*(b.r - a.r) = 0;
    s = axis*(b.r - a.r);
    der(s) = lead/(2*Vincolo.Rotations.pi)*w;
    t*axis + lead/(2*Vincolo.Rotations.pi)*(f*axis) = 0;
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end Screw;

  model Prismatic "b slides along n of a and does not turn against it; force -c (s - s0) - d s' along n"
    extends Straight;
    extends Passive;
    parameter Real c(unit = "N/m", min = 0) = 0, d(unit = "N.s/m", min = 0) = 0, s0(unit = "m") = 0;
  equation
    f*axis = -c*(s - s0) - d*der(s);
    power = (c*(s - s0) + d*der(s))*der(s);
    energy = c*(s - s0)^2/2;
    annotation(__Vincolo(draw = {rod(a.r, b.r)}));
  end Prismatic;

  model Universal "a.r = b.r, na of a stays at a right angle to nb of b"
    extends Joint;
    parameter Real na[3] = {1, 0, 0} "axis in frame a", nb[3] = {0, 1, 0} "axis in frame b";
  protected
    Real axisA[3], axisB[3];
  equation
    a.r = b.r;
    axisA = fromQuaternion(a.p)*na;
    axisB = fromQuaternion(b.p)*nb;
    axisA*axisB = 0;
    t*axisA = 0;
    t*axisB = 0;
    annotation(__Vincolo(draw = {point(a.r)}));
  end Universal;

  model Weld "a and b move as one"
    extends Joint;
  protected
    Real Ra[3, 3] = fromQuaternion(a.p), Rb[3, 3] = fromQuaternion(b.p);
  equation
    a.r = b.r;
    Ra[:, 1]*Rb[:, 2] = 0;
    Ra[:, 2]*Rb[:, 3] = 0;
    Ra[:, 3]*Rb[:, 1] = 0;
  end Weld;

  model Rod "Massless rod: |r_b - r_a| = L, force along it"
    extends Joint;
    parameter Real L(unit = "m") = 1;
    Real tension(unit = "N") "positive when it pulls";
  equation
    (b.r - a.r)*(b.r - a.r) = L^2;
    f = -tension/L*(b.r - a.r);
    t = zeros(3);
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
    t = zeros(3);
    power = tension*der(length);
    energy = c*(length - s0)^2/2;
    annotation(__Vincolo(draw = {spring(a.r, b.r)}));
  end SpringDamper;

  // ---- loads and contact ----------------------------------------------------------------------

  model Force "The force u, in world coordinates, acts on the frame"
    SpatialFrame frame;
    RealInput u[3];
  equation
    frame.f = -u;
    frame.tau = zeros(4);
  end Force;

  model Torque "The torque u, in world coordinates, acts on the frame"
    SpatialFrame frame;
    RealInput u[3];
  equation
    frame.f = zeros(3);
    frame.tau = -2*transpose(rates(frame.p))*(transpose(fromQuaternion(frame.p))*u);
  end Torque;

  model Contact "Plane through r0 with normal n: elastic layer with damping, N = c x + d x', friction mu N tanh(|v|/v1) against sliding"
    extends Passive;
    SpatialFrame frame;
    parameter Real n[3] = {0, 0, 1} "normal of the plane, out of the ground";
    parameter Real r0[3](each unit = "m") = {0, 0, 0} "point of the plane";
    parameter Real c(unit = "N/m", min = 0) = 1e5, d(unit = "N.s/m", min = 0) = 1e2;
    parameter Real mu(min = 0) = 0.5, v1(unit = "m/s") = 1e-3 "width of the smoothing of friction";
    Real h(unit = "m") "height above the plane";
    Real N(unit = "N") "normal force on the body";
    Real v[3](each unit = "m/s") "velocity along the plane";
    Real speed(unit = "m/s") "its size, smoothed at 0";
  protected
    final parameter Real e[3] = n/sqrt(n*n);
  equation
    h = e*(frame.r - r0);
    v = der(frame.r) - der(h)*e;
    speed = sqrt(v*v + (1e-3*v1)^2);
    N = if h < 0 then max(0, -c*h - d*der(h)) else 0;
    frame.f = mu*N*tanh(speed/v1)/speed*v - N*e;
    frame.tau = zeros(4);
    power = frame.f*der(frame.r);
    energy = if h < 0 then c*h^2/2 else 0;
  end Contact;

  model RollingDisc "Thin disc of radius R about n that rolls on z = 0 without slip (non-holonomic)"
    extends Rigid(J = m*R^2/4*(identity(3) + outerProduct(e, e)));
    parameter Real R(unit = "m") = 0.5 "radius";
    parameter Real n[3] = {0, 0, 1} "normal of the disc, in the body";
    final parameter Real e[3] = n/sqrt(n*n);
    Real contact[3](each unit = "m") "point of contact";
    Real f[3](each unit = "N") "force of the ground";
  protected
    Real normal[3], down[3] "normal of the disc; steepest descent in its plane, both in the world";
    Real slip[3] "velocity of the disc at the contact";
  equation
    p*p = 1;
    normal = fromQuaternion(p)*e;
    down = (normal[3]*normal - {0, 0, 1})/sqrt(1 - normal[3]^2);
    contact = r + R*down;
    contact[3] = 0;
    slip = v + cross(fromQuaternion(p)*w, R*down);
    slip[1] = 0;
    slip[2] = 0;
    force = f;
    torque = transpose(fromQuaternion(p))*cross(R*down, f);
    annotation(__Vincolo(draw = {trace(contact),
      body(r, fromQuaternion(p)*[0, 0, -1; 0, 1, 0; 1, 0, 0], "cylinder", {0.04*R, 2*R})}));
  end RollingDisc;
end Spatial;
