within Vincolo;
package Hydraulic "Oil and water: pressures and volume flows at ports"
  import Vincolo.Interfaces.{Port, Flange, Shaft, RealInput, Passive};
  constant Real g(unit = "m/s2") = 9.81 "gravity";

  function turbulent "Square-root law, linear below 'laminar': C dp/(dp^2 + laminar^2)^(1/4)"
    input Real dp(unit = "Pa"), C, laminar(unit = "Pa");
    output Real q(unit = "m3/s");
  algorithm
    q := C*dp/(dp^2 + laminar^2)^0.25;
    annotation(Inline = true);
  end turbulent;

  model PressureSource "port.p = p"
    Port port;
    parameter Real p(unit = "Pa") = 1e5;
  equation
    port.p = p;
  end PressureSource;

  model Reservoir "Return line at constant pressure: port.p = 0 unless stated"
    extends PressureSource(p = 0);
  end Reservoir;

  model FlowSource "u cubic metres a second leave the source"
    Port port;
    RealInput u;
  equation
    port.q = -u;
  end FlowSource;

  partial model TwoPort "Two ports, one flow: q = a.q = -b.q, dp = a.p - b.p"
    extends Passive;
    Port a, b;
    Real dp(unit = "Pa", nominal = 1e5);
    Real q(unit = "m3/s", nominal = 1e-4);
  equation
    dp = a.p - b.p;
    q = a.q;
    a.q + b.q = 0;
    power = dp*q;
  end TwoPort;

  model Resistance "Laminar: dp = R q"
    extends TwoPort;
    parameter Real R(unit = "Pa.s/m3", min = 0) = 1e8;
  equation
    dp = R*q;
    energy = 0;
  end Resistance;

  model Orifice "q = Cd A sqrt(2 |dp|/rho) sign(dp), laminar below 'laminar'"
    extends TwoPort;
    parameter Real A(unit = "m2", min = 0) = 1e-5, Cd = 0.7, rho(unit = "kg/m3") = 860;
    parameter Real laminar(unit = "Pa") = 100;
  equation
    q = turbulent(dp, Cd*A*sqrt(2/rho), laminar);
    energy = 0;
  end Orifice;

  model Pipe "rho L/A q' = dp - f L/D rho q |q|/(2 A^2) - 128 mu L/(pi D^4) q"
    extends TwoPort;
    parameter Real L(unit = "m") = 1, D(unit = "m") = 0.01, rho(unit = "kg/m3") = 860;
    parameter Real mu(unit = "Pa.s", min = 0) = 0.03 "viscosity", f(min = 0) = 0 "turbulent friction factor";
    final parameter Real A(unit = "m2") = 3.14159265358979324*D^2/4;
  equation
    rho*L/A*der(q) = dp - f*L/D*rho*q*abs(q)/(2*A^2) - 128*mu*L/(3.14159265358979324*D^4)*q;
    energy = rho*L/A*q^2/2;
  end Pipe;

  model Tank "Open tank: A h' = sum of the flows, p = p0 + rho g h at every port of the bottom"
    extends Passive;
    parameter Integer n(min = 1) = 1 "ports";
    parameter Real A(unit = "m2") = 1, rho(unit = "kg/m3") = 1000, p0(unit = "Pa") = 0;
    Port port[n];
    Real h(unit = "m", start = 1, min = 0) "level";
  equation
    A*der(h) = sum(port.q);
    port.p = fill(p0 + rho*g*h, n);
    power = port.p*port.q;
    energy = A*h*(p0 + rho*g*h/2);
  end Tank;

  model Volume "Closed volume of compressible oil: V/beta p' = sum of the flows"
    extends Passive;
    parameter Integer n(min = 1) = 2 "ports";
    parameter Real V(unit = "m3") = 1e-3, beta(unit = "Pa") = 1.5e9 "bulk modulus";
    Port port[n];
    Real p(unit = "Pa", start = 0, nominal = 1e5);
  equation
    V/beta*der(p) = sum(port.q);
    port.p = fill(p, n);
    power = p*sum(port.q);
    energy = V/beta*p^2/2;
  end Volume;

  model Accumulator "Gas spring: p (V0 - V)^n = p0 V0^n, V' = q"
    extends Passive;
    Port port;
    parameter Real p0(unit = "Pa") = 1e6 "pressure when empty of oil", V0(unit = "m3") = 1e-3 "gas volume then";
    parameter Real n = 1.4 "polytropic exponent, not 1";
    Real V(unit = "m3", start = 0, nominal = 1e-4) "oil inside";
  equation
    der(V) = port.q;
    port.p = p0*(V0/(V0 - V))^n;
    power = port.p*port.q;
    energy = p0*V0/(n - 1)*((V0/(V0 - V))^(n - 1) - 1);
  end Accumulator;

  model Cylinder "Two chambers and a piston: (V0 + A s)/beta p' = q - A s', force A1 p1 - A2 p2"
    extends Passive;
    Port a "chamber that pushes forward", b "chamber that pushes back";
    Flange flange "rod; at s = 0 the piston stands at the end of chamber a";
    parameter Real A1(unit = "m2") = 1e-3, A2(unit = "m2") = A1 "piston areas";
    parameter Real stroke(unit = "m") = 0.2;
    parameter Real V1(unit = "m3") = 1e-5, V2(unit = "m3") = 1e-5 "dead volumes";
    parameter Real beta(unit = "Pa") = 1.5e9;
    parameter Real leak(unit = "m3/(s.Pa)", min = 0) = 0 "across the piston";
    Real s(unit = "m"), v(unit = "m/s");
    Real p1(unit = "Pa", start = 0, nominal = 1e5), p2(unit = "Pa", start = 0, nominal = 1e5);
  equation
    s = flange.s;
    v = der(s);
    p1 = a.p;
    p2 = b.p;
    (V1 + A1*s)/beta*der(p1) = a.q - A1*v - leak*(p1 - p2);
    (V2 + A2*(stroke - s))/beta*der(p2) = b.q + A2*v + leak*(p1 - p2);
    flange.f = -(A1*p1 - A2*p2);
    power = p1*a.q + p2*b.q + flange.f*v;
    energy = (V1 + A1*s)/beta*p1^2/2 + (V2 + A2*(stroke - s))/beta*p2^2/2;
  end Cylinder;

  model ServoValve "Four-way valve: u in [-1, 1] opens P to A and B to T, or P to B and A to T; q = u C sqrt(dp)"
    extends Passive;
    Port P "supply", T "return", A, B;
    RealInput u "spool position";
    parameter Real C = 1e-7 "at full opening, in m3/s at 1 Pa";
    parameter Real laminar(unit = "Pa") = 1000;
    parameter Real leak(min = 0) = 1e-4 "opening that remains when closed";
    Real forward, backward "openings";
    Real qPA, qPB, qAT, qBT;
  equation
    forward = leak + max(0, min(1, u));
    backward = leak + max(0, min(1, -u));
    qPA = turbulent(P.p - A.p, C*forward, laminar);
    qBT = turbulent(B.p - T.p, C*forward, laminar);
    qPB = turbulent(P.p - B.p, C*backward, laminar);
    qAT = turbulent(A.p - T.p, C*backward, laminar);
    P.q = qPA + qPB;
    T.q = -qAT - qBT;
    A.q = qAT - qPA;
    B.q = qBT - qPB;
    power = P.p*P.q + T.p*T.q + A.p*A.q + B.p*B.q;
    energy = 0;
  end ServoValve;

  model Pump "Displacement machine: q = D w from a to b, tau = D (b.p - a.p)"
    extends Passive;
    Port a "suction", b "delivery";
    Shaft shaft;
    parameter Real D(unit = "m3/rad") = 1e-6;
    Real w(unit = "rad/s");
  equation
    w = der(shaft.phi);
    a.q = D*w;
    a.q + b.q = 0;
    shaft.tau = D*(b.p - a.p);
    power = a.p*a.q + b.p*b.q + shaft.tau*w;
    energy = 0;
  end Pump;
end Hydraulic;
