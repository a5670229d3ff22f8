within Vincolo.Mechanics;
package Translational "Motion along a line: positions and forces at flanges"
  import Vincolo.Interfaces.{Flange, RealInput, RealOutput, Passive};

  model Ground "Fixed point: s = s0"
    Flange flange;
    parameter Real s0(unit = "m") = 0;
  equation
    flange.s = s0;
  end Ground;

  model Mass "m s'' = a.f + b.f; both flanges are at its centre, L/2 to either side"
    extends Passive;
    Flange a "left", b "right";
    parameter Real m(unit = "kg", min = 0) = 1;
    parameter Real L(unit = "m") = 0 "length";
    Real s(unit = "m", start = 0) "position of the centre";
    Real v(unit = "m/s", start = 0) "velocity";
  equation
    a.s = s - L/2;
    b.s = s + L/2;
    v = der(s);
    m*der(v) = a.f + b.f;
    power = (a.f + b.f)*v;
    energy = m*v^2/2;
  end Mass;

  partial model Compliant "Two flanges, one force: f acts on b, -f on a; s = b.s - a.s"
    Flange a, b;
    Real s(unit = "m") "distance from a to b";
    Real f(unit = "N") "force, positive in tension";
  equation
    s = b.s - a.s;
    b.f = f;
    a.f + b.f = 0;
  end Compliant;

  partial model PassiveCompliant "A passive compliant element with its rate of extension"
    extends Compliant;
    extends Passive;
    Real v(unit = "m/s") "rate of extension";
  equation
    v = der(s);
    power = f*v;
  end PassiveCompliant;

  model Spring "f = c (s - s0)"
    extends PassiveCompliant;
    parameter Real c(unit = "N/m", min = 0) = 1 "stiffness";
    parameter Real s0(unit = "m") = 0 "length without load";
  equation
    f = c*(s - s0);
    energy = c*(s - s0)^2/2;
  end Spring;

  model Damper "f = d s'"
    extends PassiveCompliant;
    parameter Real d(unit = "N.s/m", min = 0) = 1;
  equation
    f = d*v;
    energy = 0;
  end Damper;

  model SpringDamper "f = c (s - s0) + d s'"
    extends PassiveCompliant;
    parameter Real c(unit = "N/m", min = 0) = 1, d(unit = "N.s/m", min = 0) = 1;
    parameter Real s0(unit = "m") = 0;
  equation
    f = c*(s - s0) + d*v;
    energy = c*(s - s0)^2/2;
  end SpringDamper;

  model ViscousFriction "f = d s' + q s' |s'|"
    extends PassiveCompliant;
    parameter Real d(unit = "N.s/m", min = 0) = 1, q(unit = "N.s2/m2", min = 0) = 0;
  equation
    f = d*v + q*v*abs(v);
    energy = 0;
  end ViscousFriction;

  model Stribeck "f = F(v) tanh(v/v1) + d v with F(v) = Fc + (Fs - Fc) exp(-(v/vs)^2): sliding only, smoothed at rest"
    extends PassiveCompliant;
    parameter Real Fc(unit = "N", min = 0) = 1 "sliding friction", Fs(unit = "N", min = 0) = 1.5 "breakaway";
    parameter Real vs(unit = "m/s") = 0.1 "Stribeck velocity", v1(unit = "m/s") = 1e-3 "width of the smoothing";
    parameter Real d(unit = "N.s/m", min = 0) = 0;
  equation
    f = (Fc + (Fs - Fc)*exp(-(v/vs)^2))*tanh(v/v1) + d*v;
    energy = 0;
  end Stribeck;

  model DryFriction "Sticks (v' = 0) while |f| <= Fs, slides with f = Fc sign(v) + d v; one side must have mass"
    extends PassiveCompliant;
    parameter Real Fc(unit = "N", min = 0) = 1 "sliding friction", Fs(unit = "N", min = 0) = Fc "breakaway";
    parameter Real d(unit = "N.s/m", min = 0) = 0 "viscous part";
    Integer mode(start = 0, fixed = true) "-1 slides back, 0 sticks, 1 slides forward";
    Boolean locked(start = false, fixed = true) "both sides move as one";
  protected
    Real excess "along the friction curve: force while it sticks, beyond breakaway that and the acceleration";
    Boolean forward(start = false, fixed = true), back(start = false, fixed = true) "breaks away";
  equation
    forward = pre(mode) == 0 and (excess > Fs or pre(forward) and excess > Fc or initial() and v > 0);
    back = pre(mode) == 0 and not forward and (excess < -Fs or pre(back) and excess < -Fc or initial() and v < 0);
    locked = pre(mode) == 0 and not (forward or back);
    der(v) = if locked then 0 else if pre(mode) == 1 or forward then excess - Fs else excess + Fs;
    f = if locked then excess else (if pre(mode) == 1 or forward then Fc else -Fc) + d*v;
    mode = if (pre(mode) == 1 or forward) and v > 0 then 1 else if (pre(mode) == -1 or back) and v < 0 then -1 else 0;
    energy = 0;
  end DryFriction;

  model MassWithFriction "m v' = f - friction of the ground; sticks while |f| <= Fs, slides with Fc sign(v) + d v (Karnopp, exact switching)"
    extends Passive;
    Flange flange;
    parameter Real m(unit = "kg", min = 0) = 1;
    parameter Real Fc(unit = "N", min = 0) = 1 "sliding friction", Fs(unit = "N", min = 0) = Fc "breakaway";
    parameter Real d(unit = "N.s/m", min = 0) = 0 "viscous part";
    Real s(unit = "m", start = 0), v(unit = "m/s", start = 0);
    Real friction(unit = "N") "force of the ground, against the motion";
    Integer mode(start = 0, fixed = true) "-1 slides back, 0 sticks, 1 slides forward";
    Boolean locked(start = false, fixed = true) "it sticks";
  protected
    Real excess "along the friction curve: force while it sticks, beyond breakaway that and the acceleration";
    Boolean forward(start = false, fixed = true), back(start = false, fixed = true) "breaks away";
  equation
    s = flange.s;
    der(s) = v;
    m*der(v) = flange.f - friction;
    forward = pre(mode) == 0 and (excess > Fs or pre(forward) and excess > Fc or initial() and v > 0);
    back = pre(mode) == 0 and not forward and (excess < -Fs or pre(back) and excess < -Fc or initial() and v < 0);
    locked = pre(mode) == 0 and not (forward or back);
    der(v) = if locked then 0 else if pre(mode) == 1 or forward then excess - Fs else excess + Fs;
    friction = if locked then excess else (if pre(mode) == 1 or forward then Fc else -Fc) + d*v;
    mode = if (pre(mode) == 1 or forward) and v > 0 then 1 else if (pre(mode) == -1 or back) and v < 0 then -1 else 0;
    power = flange.f*v;
    energy = m*v^2/2;
  end MassWithFriction;

  model BouncingMass "Mass that meets a wall at s = stop from above: v+ = -e v-; it rests there once it bounces no faster than vRest"
    extends Passive;
    Flange flange;
    parameter Real m(unit = "kg", min = 0) = 1;
    parameter Real e(min = 0, max = 1) = 0.8 "restitution";
    parameter Real stop(unit = "m") = 0;
    parameter Real vRest(unit = "m/s", min = 0) = 0.02 "slower than this it does not leave the wall again";
    Real s(unit = "m", start = 1), v(unit = "m/s", start = 0);
    Integer impacts(start = 0, fixed = true);
    Boolean resting(start = false, fixed = true) "it lies on the wall, until it is pulled off";
  equation
    s = flange.s;
    der(s) = v;
    m*der(v) = if resting then 0 else flange.f;
    when s < stop and v < 0 then
      impacts = pre(impacts) + 1;
      resting = -e*pre(v) < vRest;
      reinit(v, if resting then 0 else -e*pre(v));
    elsewhen pre(resting) and flange.f > 0 then
      impacts = pre(impacts);
      resting = false;
    end when;
    power = flange.f*v;
    energy = m*v^2/2;
  end BouncingMass;

  model ElasticStop "Spring and damper that act only while the distance is below s0: f = min(0, c (s - s0) + d s')"
    extends PassiveCompliant;
    parameter Real c(unit = "N/m", min = 0) = 1e6, d(unit = "N.s/m", min = 0) = 1e3;
    parameter Real s0(unit = "m") = 0 "distance at which they touch";
  equation
    f = if s < s0 then min(0, c*(s - s0) + d*v) else 0;
    energy = if s < s0 then c*(s - s0)^2/2 else 0;
  end ElasticStop;

  model Lever "b.s = ratio a.s, a.f + ratio b.f = 0"
    extends Passive;
    Flange a, b;
    parameter Real ratio = 1;
  equation
    b.s = ratio*a.s;
    a.f + ratio*b.f = 0;
    power = a.f*der(a.s) + b.f*der(b.s);
    energy = 0;
  end Lever;

  model Force "u newton push the flange in its positive direction"
    Flange flange;
    RealInput u;
  equation
    flange.f = -u;
  end Force;

  model ConstantForce "F newton push the flange in its positive direction"
    Flange flange;
    parameter Real F(unit = "N") = 1;
  equation
    flange.f = -F;
  end ConstantForce;

  model Position "The flange is where the signal says: s = u"
    Flange flange;
    RealInput u;
  equation
    flange.s = u;
  end Position;

  model PositionSensor "y = s"
    Flange flange;
    RealOutput y;
  equation
    flange.f = 0;
    y = flange.s;
  end PositionSensor;

  model SpeedSensor "y = s'"
    Flange flange;
    RealOutput y;
  equation
    flange.f = 0;
    y = der(flange.s);
  end SpeedSensor;

  model ForceSensor "y = force that a passes on to b"
    Flange a, b;
    RealOutput y;
  equation
    a.s = b.s;
    a.f + b.f = 0;
    y = a.f;
  end ForceSensor;
end Translational;
