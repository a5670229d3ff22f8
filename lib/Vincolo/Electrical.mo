within Vincolo;
package Electrical "Circuits: potentials and currents at pins"
  import Vincolo.Interfaces.{Pin, Shaft, RealInput, BooleanInput, Passive};

  model Ground "Reference potential: v = 0"
    Pin p;
  equation
    p.v = 0;
  end Ground;

  partial model OnePort "Two pins, one current: v = p.v - n.v, i = p.i = -n.i"
    Pin p "positive pin";
    Pin n "negative pin";
    Real v(unit = "V") "voltage from p to n";
    Real i(unit = "A") "current from p to n";
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end OnePort;

  partial model PassivePort "A passive one-port"
    extends OnePort;
    extends Passive;
  equation
    power = v*i;
  end PassivePort;

  model Resistor "v = R i"
    extends PassivePort;
    parameter Real R(unit = "Ohm", min = 0) = 1;
  equation
    v = R*i;
    energy = 0;
  end Resistor;

  model Capacitor "i = C v'"
    extends PassivePort;
    parameter Real C(unit = "F") = 1;
  equation
    i = C*der(v);
    energy = C*v^2/2;
  end Capacitor;

  model Inductor "v = L i'"
    extends PassivePort;
    parameter Real L(unit = "H") = 1;
  equation
    v = L*der(i);
    energy = L*i^2/2;
  end Inductor;

  model CoupledInductors "v1 = L1 i1' + M i2', v2 = M i1' + L2 i2' with M = k sqrt(L1 L2)"
    extends Passive;
    parameter Real L1(unit = "H") = 1, L2(unit = "H") = 1;
    parameter Real k(min = 0, max = 1) = 0.9 "coupling";
    final parameter Real M(unit = "H") = k*sqrt(L1*L2);
    Pin p1, n1, p2, n2;
    Real v1(unit = "V"), v2(unit = "V"), i1(unit = "A"), i2(unit = "A");
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
    v1 = L1*der(i1) + M*der(i2);
    v2 = M*der(i1) + L2*der(i2);
    power = v1*i1 + v2*i2;
    energy = L1*i1^2/2 + M*i1*i2 + L2*i2^2/2;
  end CoupledInductors;

  model Transformer "Ideal transformer: v1 = n v2, i2 = -n i1"
    extends Passive;
    parameter Real n = 1 "turns ratio";
    Pin p1, n1, p2, n2;
  equation
    p1.v - n1.v = n*(p2.v - n2.v);
    p2.i = -n*p1.i;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
    power = (p1.v - n1.v)*p1.i + (p2.v - n2.v)*p2.i;
    energy = 0;
  end Transformer;

  model ConstantVoltage "v = V"
    extends OnePort;
    parameter Real V(unit = "V") = 1;
  equation
    v = V;
  end ConstantVoltage;

  model SineVoltage "v = V sin(2 pi f t + phase) + offset"
    extends OnePort;
    parameter Real V(unit = "V") = 1 "amplitude";
    parameter Real f(unit = "Hz") = 1 "frequency";
    parameter Real phase(unit = "rad") = 0, offset(unit = "V") = 0;
  equation
    v = V*sin(2*3.14159265358979324*f*time + phase) + offset;
  end SineVoltage;

  model SignalVoltage "v = u"
    extends OnePort;
    RealInput u;
  equation
    v = u;
  end SignalVoltage;

  model ConstantCurrent "i = I"
    extends OnePort;
    parameter Real I(unit = "A") = 1;
  equation
    i = I;
  end ConstantCurrent;

  model SignalCurrent "i = u"
    extends OnePort;
    RealInput u;
  equation
    i = u;
  end SignalCurrent;

  partial model TwoPort "Two pairs of pins: 1 controls, 2 is controlled"
    Pin p1, n1, p2, n2;
    Real v1(unit = "V") "controlling voltage", v2(unit = "V") "controlled voltage";
    Real i1(unit = "A") "controlling current", i2(unit = "A") "controlled current";
  equation
    v1 = p1.v - n1.v;
    v2 = p2.v - n2.v;
    i1 = p1.i;
    i2 = p2.i;
    p1.i + n1.i = 0;
    p2.i + n2.i = 0;
  end TwoPort;

  model VCV "Voltage-controlled voltage: v2 = gain v1, i1 = 0"
    extends TwoPort;
    parameter Real gain = 1;
  equation
    v2 = gain*v1;
    i1 = 0;
  end VCV;

  model VCC "Voltage-controlled current: i2 = g v1, i1 = 0"
    extends TwoPort;
    parameter Real g(unit = "S") = 1;
  equation
    i2 = g*v1;
    i1 = 0;
  end VCC;

  model CCV "Current-controlled voltage: v2 = r i1, v1 = 0"
    extends TwoPort;
    parameter Real r(unit = "Ohm") = 1;
  equation
    v2 = r*i1;
    v1 = 0;
  end CCV;

  model CCC "Current-controlled current: i2 = gain i1, v1 = 0"
    extends TwoPort;
    parameter Real gain = 1;
  equation
    i2 = gain*i1;
    v1 = 0;
  end CCC;

  model Diode "Exponential diode: i = Is (exp(v/Vt) - 1), continued linearly above 'maxexp'; parallel R"
    extends PassivePort;
    parameter Real Is(unit = "A") = 1e-12 "saturation current";
    parameter Real Vt(unit = "V") = 0.026 "thermal voltage";
    parameter Real maxexp = 40 "exponent beyond which the curve goes on straight";
    parameter Real R(unit = "Ohm") = 1e8 "parallel resistance";
  equation
    i = smooth(1, if v > maxexp*Vt then Is*(exp(maxexp)*(1 + v/Vt - maxexp) - 1) else Is*(exp(v/Vt) - 1)) + v/R;
    energy = 0;
  end Diode;

  model IdealDiode "Closed: v = Vknee + Ron i; open: i = Goff v; switches where both meet"
    extends PassivePort;
    parameter Real Ron(unit = "Ohm") = 1e-5, Goff(unit = "S") = 1e-5;
    parameter Real Vknee(unit = "V", min = 0) = 0;
    Boolean off(start = true);
    Real s "on the characteristic: current above the knee, voltage below it";
  equation
    off = s < 0;
    v = s*(if off then 1 else Ron) + Vknee;
    i = s*(if off then Goff else 1) + Goff*Vknee;
    energy = 0;
  end IdealDiode;

  model IdealSwitch "Closed while 'on': v = Ron i; otherwise i = Goff v"
    extends PassivePort;
    parameter Real Ron(unit = "Ohm") = 1e-5, Goff(unit = "S") = 1e-5;
    BooleanInput on;
    Real s;
  equation
    v = s*(if on then Ron else 1);
    i = s*(if on then 1 else Goff);
    energy = 0;
  end IdealSwitch;

  model NPN "Bipolar transistor: ic and ib by the transport equations of Ebers and Moll"
    extends Passive;
    parameter Real Is(unit = "A") = 1e-15, Vt(unit = "V") = 0.02585;
    parameter Real betaF = 100 "forward gain", betaR = 1 "reverse gain";
    parameter Real maxexp = 40 "exponent beyond which the curves go on straight";
    parameter Real G(unit = "S") = 1e-12 "leakage of both junctions";
    Pin b "base", c "collector", e "emitter";
    Real vbe(unit = "V"), vbc(unit = "V");
    Real forward(unit = "A"), reverse(unit = "A") "junction currents";
  equation
    vbe = b.v - e.v;
    vbc = b.v - c.v;
    forward = junction(vbe, Is, Vt, maxexp);
    reverse = junction(vbc, Is, Vt, maxexp);
    c.i = forward - reverse*(1 + 1/betaR) - G*vbc;
    b.i = forward/betaF + reverse/betaR + G*(vbe + vbc);
    b.i + c.i + e.i = 0;
    power = b.v*b.i + c.v*c.i + e.v*e.i;
    energy = 0;
  end NPN;

  function junction "Is (exp(v/Vt) - 1), continued linearly above v = maxexp Vt"
    input Real v, Is, Vt, maxexp;
    output Real i;
  algorithm
    i := smooth(1, if v > maxexp*Vt then Is*(exp(maxexp)*(1 + v/Vt - maxexp) - 1) else Is*(exp(v/Vt) - 1));
    annotation(Inline = true);
  end junction;

  model OpAmp "Ideal operational amplifier: v1 = 0, i1 = 0; the output gives what that takes"
    Pin p1 "non-inverting", n1 "inverting", p2 "output";
  equation
    p1.v = n1.v;
    p1.i = 0;
    n1.i = 0;
  end OpAmp;

  model OpAmpLimited "Operational amplifier of finite gain whose output saturates: v2 = Vmax tanh(gain v1/Vmax)"
    Pin p1 "non-inverting", n1 "inverting", p2 "output";
    parameter Real gain = 1e5;
    parameter Real Vmax(unit = "V") = 15;
  equation
    p2.v = Vmax*tanh(gain*(p1.v - n1.v)/Vmax);
    p1.i = 0;
    n1.i = 0;
  end OpAmpLimited;

  model EMF "Electro-mechanical coupling: v = k w, tau = -k i"
    extends Passive;
    parameter Real k(unit = "N.m/A") = 1;
    Pin p, n;
    Shaft shaft;
    Real w(unit = "rad/s") "speed";
  equation
    w = der(shaft.phi);
    p.v - n.v = k*w;
    shaft.tau = -k*p.i;
    p.i + n.i = 0;
    power = (p.v - n.v)*p.i + shaft.tau*w;
    energy = 0;
  end EMF;

  model DCMotor "Armature, coupling and rotor: v = R i + L i' + k w, J w' = k i - d w + tau"
    extends Passive;
    parameter Real R(unit = "Ohm") = 1, L(unit = "H") = 0.01, k(unit = "N.m/A") = 0.1;
    parameter Real J(unit = "kg.m2") = 0.001, d(unit = "N.m.s/rad") = 0;
    Pin p, n;
    Shaft shaft;
    Real i(unit = "A") "armature current";
    Real w(unit = "rad/s") "speed";
  equation
    i = p.i;
    p.i + n.i = 0;
    w = der(shaft.phi);
    p.v - n.v = R*i + L*der(i) + k*w;
    J*der(w) = k*i - d*w + shaft.tau;
    power = (p.v - n.v)*i + shaft.tau*w;
    energy = L*i^2/2 + J*w^2/2;
  end DCMotor;

  model VoltageSensor "v between the pins; no current"
    extends OnePort;
  equation
    i = 0;
  end VoltageSensor;

  model CurrentSensor "i through the pins; no voltage"
    extends OnePort;
  equation
    v = 0;
  end CurrentSensor;
end Electrical;
