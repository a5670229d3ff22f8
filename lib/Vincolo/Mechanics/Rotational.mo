within Vincolo.Mechanics;
package Rotational "Motion about an axis: angles and torques at shafts"
  import Vincolo.Interfaces.{Shaft, Flange, RealInput, RealOutput, Passive};

  model Ground "Fixed shaft: phi = phi0"
    Shaft shaft;
    parameter Real phi0(unit = "rad") = 0;
  equation
    shaft.phi = phi0;
  end Ground;

  model Inertia "J phi'' = a.tau + b.tau"
    extends Passive;
    Shaft a, b;
    parameter Real J(unit = "kg.m2", min = 0) = 1;
    Real phi(unit = "rad", start = 0), w(unit = "rad/s", start = 0);
  equation
    a.phi = phi;
    b.phi = phi;
    w = der(phi);
    J*der(w) = a.tau + b.tau;
    power = (a.tau + b.tau)*w;
    energy = J*w^2/2;
  end Inertia;

  partial model Compliant "Two shafts, one torque: tau acts on b, -tau on a; phi = b.phi - a.phi"
    Shaft a, b;
    Real phi(unit = "rad") "angle from a to b";
    Real tau(unit = "N.m");
  equation
    phi = b.phi - a.phi;
    b.tau = tau;
    a.tau + b.tau = 0;
  end Compliant;

  partial model PassiveCompliant "A passive compliant element with its relative speed"
    extends Compliant;
    extends Passive;
    Real w(unit = "rad/s") "relative speed";
  equation
    w = der(phi);
    power = tau*w;
  end PassiveCompliant;

  model Spring "tau = c (phi - phi0)"
    extends PassiveCompliant;
    parameter Real c(unit = "N.m/rad", min = 0) = 1, phi0(unit = "rad") = 0;
  equation
    tau = c*(phi - phi0);
    energy = c*(phi - phi0)^2/2;
  end Spring;

  model Damper "tau = d phi'"
    extends PassiveCompliant;
    parameter Real d(unit = "N.m.s/rad", min = 0) = 1;
  equation
    tau = d*w;
    energy = 0;
  end Damper;

  model SpringDamper "tau = c (phi - phi0) + d phi'"
    extends PassiveCompliant;
    parameter Real c(unit = "N.m/rad", min = 0) = 1, d(unit = "N.m.s/rad", min = 0) = 1;
    parameter Real phi0(unit = "rad") = 0;
  equation
    tau = c*(phi - phi0) + d*w;
    energy = c*(phi - phi0)^2/2;
  end SpringDamper;

  model Stribeck "tau = T(w) tanh(w/w1) + d w with T(w) = Tc + (Ts - Tc) exp(-(w/ws)^2): sliding only, smoothed at rest"
    extends PassiveCompliant;
    parameter Real Tc(unit = "N.m", min = 0) = 1 "sliding friction", Ts(unit = "N.m", min = 0) = 1.5 "breakaway";
    parameter Real ws(unit = "rad/s") = 0.1, w1(unit = "rad/s") = 1e-3 "width of the smoothing";
    parameter Real d(unit = "N.m.s/rad", min = 0) = 0;
  equation
    tau = (Tc + (Ts - Tc)*exp(-(w/ws)^2))*tanh(w/w1) + d*w;
    energy = 0;
  end Stribeck;

  model DryFriction "Sticks (w' = 0) while |tau| <= Ts, slides with tau = Tc sign(w) + d w; one side must have inertia"
    extends PassiveCompliant;
    parameter Real Tc(unit = "N.m", min = 0) = 1 "sliding friction", Ts(unit = "N.m", min = 0) = Tc "breakaway";
    parameter Real d(unit = "N.m.s/rad", min = 0) = 0 "viscous part";
    Integer mode(start = 0, fixed = true) "-1 slides back, 0 sticks, 1 slides forward";
    Boolean locked(start = false, fixed = true) "both sides turn as one";
  protected
    Real excess "along the friction curve: torque while it sticks, beyond it torque and acceleration";
    Boolean forward(start = false, fixed = true), back(start = false, fixed = true) "breaks away";
  equation
    forward = pre(mode) == 0 and (excess > Ts or pre(forward) and excess > Tc or initial() and w > 0);
    back = pre(mode) == 0 and not forward and (excess < -Ts or pre(back) and excess < -Tc or initial() and w < 0);
    locked = pre(mode) == 0 and not (forward or back);
    der(w) = if locked then 0 else if pre(mode) == 1 or forward then excess - Ts else excess + Ts;
    tau = if locked then excess else (if pre(mode) == 1 or forward then Tc else -Tc) + d*w;
    mode = if (pre(mode) == 1 or forward) and w > 0 then 1 else if (pre(mode) == -1 or back) and w < 0 then -1 else 0;
    energy = 0;
  end DryFriction;

  model Gear "a.phi = ratio b.phi, ratio a.tau + b.tau = 0"
    extends Passive;
    Shaft a, b;
    parameter Real ratio = 1 "turns of a for one of b";
  equation
    a.phi = ratio*b.phi;
    ratio*a.tau + b.tau = 0;
    power = a.tau*der(a.phi) + b.tau*der(b.phi);
    energy = 0;
  end Gear;

  model RackAndPinion "flange.s = r shaft.phi, shaft.tau + r flange.f = 0"
    extends Passive;
    Shaft shaft;
    Flange flange;
    parameter Real r(unit = "m") = 1;
  equation
    flange.s = r*shaft.phi;
    shaft.tau + r*flange.f = 0;
    power = shaft.tau*der(shaft.phi) + flange.f*der(flange.s);
    energy = 0;
  end RackAndPinion;

  model Clutch "Friction torque between the shafts: sticks (w' = 0) while |tau| <= u Tmax, otherwise slips with tau = u Tmax sign(w)"
    extends PassiveCompliant;
    parameter Real Tmax(unit = "N.m", min = 0) = 10 "torque at full pressure";
    RealInput u "pressure, 0 to 1; both shafts must have inertia";
    Integer mode(start = 0, fixed = true) "-1 slips back, 0 sticks, 1 slips forward";
    Boolean locked(start = false, fixed = true) "both shafts turn as one";
  protected
    Real limit(unit = "N.m") "greatest torque at this pressure";
    Real excess "along the friction curve: torque while it sticks, beyond it torque and acceleration";
    Boolean forward(start = false, fixed = true), back(start = false, fixed = true) "breaks away";
  equation
    limit = max(0, min(1, u))*Tmax;
    forward = pre(mode) == 0 and (excess > limit or initial() and w > 0);
    back = pre(mode) == 0 and not forward and (excess < -limit or initial() and w < 0);
    locked = pre(mode) == 0 and not (forward or back);
    der(w) = if locked then 0 else if pre(mode) == 1 or forward then excess - limit else excess + limit;
    tau = if locked then excess else if pre(mode) == 1 or forward then limit else -limit;
    mode = if (pre(mode) == 1 or forward) and w > 0 then 1 else if (pre(mode) == -1 or back) and w < 0 then -1 else 0;
    energy = 0;
  end Clutch;

  model Torque "u newton metres turn the shaft in its positive direction"
    Shaft shaft;
    RealInput u;
  equation
    shaft.tau = -u;
  end Torque;

  model ConstantTorque "T newton metres turn the shaft in its positive direction"
    Shaft shaft;
    parameter Real T(unit = "N.m") = 1;
  equation
    shaft.tau = -T;
  end ConstantTorque;

  model Speed "The shaft turns as the signal says: phi' = u"
    Shaft shaft;
    RealInput u;
    Real phi(start = 0, fixed = true);
  equation
    shaft.phi = phi;
    der(phi) = u;
  end Speed;

  model Angle "The shaft stands where the signal says: phi = u"
    Shaft shaft;
    RealInput u;
  equation
    shaft.phi = u;
  end Angle;

  model AngleSensor "y = phi"
    Shaft shaft;
    RealOutput y;
  equation
    shaft.tau = 0;
    y = shaft.phi;
  end AngleSensor;

  model SpeedSensor "y = phi'"
    Shaft shaft;
    RealOutput y;
  equation
    shaft.tau = 0;
    y = der(shaft.phi);
  end SpeedSensor;

  model TorqueSensor "y = torque that a passes on to b"
    Shaft a, b;
    RealOutput y;
  equation
    a.phi = b.phi;
    a.tau + b.tau = 0;
    y = a.tau;
  end TorqueSensor;
end Rotational;
