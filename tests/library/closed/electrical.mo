package Electrical "Circuits against closed forms"
  import Vincolo.Electrical.*;

  model RLC "Series resonance from a charged capacitor: v = exp(-0.1 t) (cos w t + 0.1/w sin w t), w^2 = 0.99"
    Resistor r(R = 0.2);
    Inductor l(L = 1, i(start = 0, fixed = true));
    Capacitor c(C = 1, v(start = 1, fixed = true));
    Ground g;
    parameter Real w = sqrt(0.99);
    Real error = c.v - exp(-0.1*time)*(cos(w*time) + 0.1/w*sin(w*time));
  equation
    connect(c.p, r.p);
    connect(r.n, l.p);
    connect(l.n, c.n);
    connect(c.n, g.p);
    annotation(experiment(StopTime = 5));
  end RLC;

  model Coupled "Two coupled inductors, one shorted: the other shows L1 (1 - k^2), the shorted one -M/L2 of its current"
    ConstantVoltage s(V = 1);
    CoupledInductors k(L1 = 2, L2 = 3, k = 0.5, i1(start = 0, fixed = true), i2(start = 0, fixed = true));
    Ground g;
    Real error[2] = {k.i1 - time/1.5, k.i2 + time/1.5*sqrt(6)/6};
  equation
    connect(s.p, k.p1);
    connect(s.n, k.n1);
    connect(k.p2, k.n2);
    connect(s.n, g.p);
    connect(k.n2, g.p);
  end Coupled;

  model Transformed "A load behind a transformer of ratio n looks like n^2 R"
    SineVoltage s(V = 10, f = 2, phase = 0.3, offset = 1);
    Transformer t(n = 3);
    Resistor r(R = 2);
    CurrentSensor a;
    VoltageSensor v;
    Ground g1, g2;
    constant Real pi = 3.14159265358979324;
    Real error[2] = {a.i - (10*sin(4*pi*time + 0.3) + 1)/18, v.v - (10*sin(4*pi*time + 0.3) + 1)/3};
  equation
    connect(s.p, a.p);
    connect(a.n, t.p1);
    connect(s.n, t.n1);
    connect(t.p2, r.p);
    connect(t.n2, r.n);
    connect(v.p, r.p);
    connect(v.n, r.n);
    connect(s.n, g1.p);
    connect(r.n, g2.p);
  end Transformed;

  model Controlled "The four controlled sources in a row: 2 V, 6 V, 1.5 A, 3 A, 12 V"
    ConstantVoltage s(V = 2);
    VCV vcv(gain = 3);
    VCC vcc(g = 0.25);
    CCC ccc(gain = 2);
    CCV ccv(r = 4);
    Resistor r1(R = 1), r2(R = 1);
    Ground g;
    Real error[4] = {vcv.v2 - 6, vcc.i2 - 1.5, ccc.i2 - 3, ccv.v2 - 12};
  equation
    connect(s.p, vcv.p1);
    connect(s.n, vcv.n1);
    connect(vcv.p2, vcc.p1);
    connect(vcv.n2, vcc.n1);
    connect(vcc.p2, ccc.n1);
    connect(vcc.n2, ccc.p1);
    connect(ccc.p2, ccv.n1);
    connect(ccc.n2, ccv.p1);
    connect(ccv.p2, r1.p);
    connect(ccv.n2, r1.n);
    connect(vcv.p2, r2.p);
    connect(vcv.n2, r2.n);
    connect(s.n, g.p);
    connect(vcv.n2, g.p);
    connect(vcc.n2, g.p);
    connect(ccc.n2, g.p);
    connect(ccv.n2, g.p);
  end Controlled;

  model Signals "A voltage and a current that follow signals, and a constant current"
    SignalVoltage v(u = sin(time));
    SignalCurrent i(u = time^2);
    ConstantCurrent k(I = 2);
    Resistor r1(R = 2), r2(R = 3), r3(R = 4);
    Ground g;
    Real error[3] = {r1.i - sin(time)/2, r2.v + 3*time^2, r3.v + 8};
  equation
    connect(v.p, r1.p);
    connect(v.n, r1.n);
    connect(i.p, r2.p);
    connect(i.n, r2.n);
    connect(k.p, r3.p);
    connect(k.n, r3.n);
    connect(v.n, g.p);
    connect(i.n, g.p);
    connect(k.n, g.p);
  end Signals;

  model Logarithm "A current through an exponential diode: v = Vt log(1 + i/Is); and beyond the straight continuation"
    SignalCurrent s(u = -1e-3*(0.1 + time));
    Diode d(Is = 1e-12, R = 1e30), straight(Is = 1e-3, maxexp = 2, R = 1e30);
    ConstantCurrent k(I = -0.1);
    Ground g;
    Real error[2] = {d.v - 0.026*log(1 + 1e9*(0.1 + time)), straight.v/0.026 - (101/exp(2) + 1)};
  equation
    connect(s.p, d.p);
    connect(s.n, d.n);
    connect(k.p, straight.p);
    connect(k.n, straight.n);
    connect(d.n, g.p);
    connect(straight.n, g.p);
  end Logarithm;

  model Rectifier "Ideal diode and resistor: the current follows the positive half waves only"
    SineVoltage s(V = 10);
    IdealDiode d(Ron = 1e-9, Goff = 1e-9, Vknee = 0.7);
    Resistor r(R = 5);
    Ground g;
    Real error = r.v - max(0, s.v - 0.7);
  equation
    connect(s.p, d.p);
    connect(d.n, r.p);
    connect(r.n, s.n);
    connect(s.n, g.p);
    annotation(experiment(StopTime = 2));
  end Rectifier;

  model Switched "A switch opens an RC at t = 1: the charge 1 - exp(-t) then stays"
    ConstantVoltage s(V = 1);
    IdealSwitch sw(on = time < 1, Ron = 1e-9, Goff = 1e-12);
    Resistor r(R = 1);
    Capacitor c(C = 1, v(start = 0, fixed = true));
    Ground g;
    Real error = c.v - (1 - exp(-min(time, 1)));
  equation
    connect(s.p, sw.p);
    connect(sw.n, r.p);
    connect(r.n, c.p);
    connect(c.n, s.n);
    connect(s.n, g.p);
    annotation(experiment(StopTime = 2));
  end Switched;

  model Gain "A transistor with a given base current: ic = beta ib while its collector is above its base; vbe = Vt log(1 + beta ib/Is)"
    NPN q(betaF = 150, G = 0, Is = 1e-15);
    SignalCurrent base(u = -1e-6*(1 + time));
    ConstantVoltage supply(V = 5);
    Ground g;
    Real error[2] = {q.c.i/(150e-6*(1 + time)) - 1, q.vbe - 0.02585*log(1 + 150e9*(1 + time))};
  equation
    connect(base.p, q.b);
    connect(base.n, g.p);
    connect(supply.p, q.c);
    connect(supply.n, g.p);
    connect(q.e, g.p);
  end Gain;

  model Integrating "Operational amplifier with a capacitor in the feedback: v2 = -integral of v1/(R C)"
    SineVoltage s(V = 2, f = 1/6.28318530717958648);
    Resistor r(R = 4);
    Capacitor c(C = 0.5, v(start = 0, fixed = true));
    OpAmp a;
    Ground g;
    Real error = a.p2.v + (1 - cos(time));
  equation
    connect(s.n, g.p);
    connect(s.p, r.p);
    connect(r.n, a.n1);
    connect(a.n1, c.p);
    connect(c.n, a.p2);
    connect(a.p1, g.p);
    annotation(experiment(StopTime = 5));
  end Integrating;

  model Saturating "The same with a real amplifier as a follower of 20 V: stays at Vmax"
    ConstantVoltage s(V = 20), small(V = 2);
    OpAmpLimited a(Vmax = 15), b(Vmax = 15, gain = 1e6);
    Resistor load(R = 1000), load2(R = 1000);
    Ground g;
    Real error[2] = {a.p2.v - 15, b.p2.v - 2/(1 + 1e-6)};
  equation
    connect(s.n, g.p);
    connect(s.p, a.p1);
    connect(a.n1, a.p2);
    connect(a.p2, load.p);
    connect(load.n, g.p);
    connect(small.n, g.p);
    connect(small.p, b.p1);
    connect(b.n1, b.p2);
    connect(b.p2, load2.p);
    connect(load2.n, g.p);
  end Saturating;

  model Motor "DC motor without inductance from rest: w = V k/(R d + k^2) (1 - exp(-t (R d + k^2)/(R J)))"
    ConstantVoltage s(V = 12);
    DCMotor m(R = 2, L = 1e-9, k = 0.1, J = 1e-3, d = 1e-3, w(start = 0, fixed = true), i(start = 6));
    Ground g;
    Real error = (m.w - 100*(1 - exp(-6*time)))/100;
  equation
    connect(s.p, m.p);
    connect(s.n, m.n);
    connect(s.n, g.p);
  end Motor;

  model Generator "An EMF turned at constant speed feeds a resistor: i = k w/R, torque k i"
    Vincolo.Mechanics.Rotational.Speed drive(u = 30);
    EMF emf(k = 0.2);
    Resistor r(R = 3);
    Ground g;
    Real error[2] = {r.i - 2, emf.shaft.tau - 0.4};
  equation
    connect(drive.shaft, emf.shaft);
    connect(emf.p, r.p);
    connect(emf.n, r.n);
    connect(emf.n, g.p);
  end Generator;
end Electrical;
