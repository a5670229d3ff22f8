model twobit "Two-bit adder of 39 transistors, A + B + carry = S + 4 C: index 1, charges and voltages"
  constant Real scale = 1e4 "of time", stiff = 5;
  constant Real Rgs = 40/(scale*stiff), Rgd = 40/(scale*stiff), Rbs = 100/(scale*stiff), Rbd = 100/(scale*stiff);
  constant Real Cgs = 0.6e-4*scale, Cgd = 0.6e-4*scale, Cb = 2.4e-5*scale, Cout = 2e-4*scale;
  constant Real delta = 0.02, Is = 1e-15*scale*stiff, Vt = 25.85, Vdd = 5, Vbb = -2.5, phiB = 0.87;
  constant Real beta = 43.7e-6*scale*stiff "of a transistor of unit width";

  connector Pin
    Real v;
    flow Real i;
  end Pin;

  record Channel "of a field-effect transistor after Shichman and Hodges"
    Real VT0 = 0.2, gamma = 0.035, phi = 1.01;
  end Channel;

  function conduct "current per beta, from the end at the higher voltage v"
    input Channel c;
    input Real v, vg "from the gate", vb "from the bulk to the lower end";
    output Real i;
  protected
    Real u = vg - (c.VT0 + c.gamma*(sqrt(c.phi - vb) - sqrt(c.phi))) "how far the gate is above threshold";
    Real w = min(u, v);
  algorithm
    i := if u <= 0 then 0 else w*(2*u - w)*(1 + delta*v);
  end conduct;

  function current "from drain to source, per beta"
    input Channel c;
    input Real vds, vgs, vbs, vgd, vbd;
    output Real i;
  algorithm
    i := if vds > 0 then conduct(c, vds, vgs, vbs) else -conduct(c, -vds, vgd, vbd);
  end current;

  function junction "current of a pn-junction from the bulk"
    input Real v;
    output Real i;
  algorithm
    i := if v <= 0 then Is*(exp(v/Vt) - 1) else 0;
  end junction;

  function charge "of a pn-junction"
    input Real v;
    output Real q;
  algorithm
    q := v*(if v <= 0 then Cb/sqrt(1 - v/phiB) else Cb*(1 + v/(2*phiB)));
  end charge;

  model Transistor "with resistors and capacitors around its channel, and junctions to the bulk"
    parameter Real d0 = 0, g0 = 0, s0 = 0 "guess of the voltages at the start";
    Pin d(v(start = d0)), g(v(start = g0)), s(v(start = s0)) "drain, gate, source";
    parameter Boolean floating = false "source between two closed channels: there, s0 is the voltage";
    parameter Real width = 1;
    constant Channel c;
    Real vd(start = d0), vs(start = s0) "ends of the channel", bd(start = Vbb), bs(start = Vbb) "bulk below drain and source";
    Real qd(start = Cgd*(d0 - g0)), qs(start = Cgs*(s0 - g0)) "charges on the gate's capacitors";
    Real pd(start = charge(Vbb - d0)), ps(start = charge(Vbb - s0)) "charges of the junctions";
    Real id, is, jd, js "currents into the four inner nodes";
    Real i = width*beta*current(c, vd - vs, g.v - vs, bs - s.v, g.v - vd, bd - d.v) "through the channel";
  equation
    Rgd*id = d.v - vd;
    Rgs*is = s.v - vs;
    Rbd*jd = Vbb - bd;
    Rbs*js = Vbb - bs;
    qd = Cgd*(vd - g.v);
    qs = Cgs*(vs - g.v);
    pd = charge(bd - d.v);
    ps = charge(bs - s.v);
    der(qd) = id - i;
    der(qs) = is + i;
    der(pd) = jd - junction(bd - d.v);
    der(ps) = js - junction(bs - s.v);
    d.i = id - jd;
    s.i = is - js;
    g.i = -(id + is);
  initial equation // at rest
    der(qd) = 0;
    der(qs) = 0;
    der(pd) = 0;
    if floating then
      s.v = s0;
    else
      der(ps) = 0;
    end if;
  end Transistor;

  model Supply
    Pin p;
    parameter Real V;
  equation
    p.v = V;
  end Supply;

  model Pulse "0 V, a ramp to 5 V, a plateau, a ramp back; periodic"
    Pin p;
    parameter Real delay, plateau, period;
    constant Real ramp = 5, high = 5;
    discrete Real t0(start = 0, fixed = true) "begin of the period";
  equation
    when sample(period, period) then
      t0 = time;
    end when;
    p.v = if time < t0 + delay then 0 elseif time < t0 + delay + ramp then high/ramp*(time - t0 - delay)
      elseif time < t0 + delay + ramp + plateau then high
      elseif time < t0 + delay + 2*ramp + plateau then high/ramp*(t0 + delay + 2*ramp + plateau - time) else 0;
  end Pulse;

  partial model Gate "an output that a transistor used as a resistor pulls up"
    parameter Real out0, u0[3] = {0, 0, 0} "guess of the voltages at the start";
    parameter Real mid0 = 0 "voltage between two transistors in series at the start";
    Pin out(v(start = out0));
    Transistor load(d0 = Vdd, g0 = out0, s0 = out0, width = 53.5/43.7, c(VT0 = -2.43, gamma = 0.2, phi = 1.28));
    Supply vdd(V = Vdd), ground(V = 0);
  equation
    connect(load.d, vdd.p);
    connect(load.g, load.s);
    connect(load.s, out);
  end Gate;

  model Nor "not (u1 or u2)"
    extends Gate;
    Pin u1(v(start = u0[1])), u2(v(start = u0[2]));
    Transistor t1(width = 4, g0 = u0[1], d0 = out0), t2(width = 4, g0 = u0[2], d0 = out0);
  equation
    connect(t1.g, u1);
    connect(t2.g, u2);
    connect(t1.d, out);
    connect(t2.d, out);
    connect(t1.s, ground.p);
    connect(t2.s, ground.p);
  end Nor;

  model Nand "not (u1 and u2)"
    extends Gate;
    Pin u1(v(start = u0[1])), u2(v(start = u0[2]));
    Transistor t1(width = 8, g0 = u0[1], d0 = out0, s0 = mid0, floating = true), t2(width = 8, g0 = u0[2], d0 = mid0);
  equation
    connect(t1.g, u1);
    connect(t2.g, u2);
    connect(t1.d, out);
    connect(t1.s, t2.d);
    connect(t2.s, ground.p);
  end Nand;

  model AndOrNot "not (u1 or (u2 and u3))"
    extends Gate;
    Pin u1(v(start = u0[1])), u2(v(start = u0[2])), u3(v(start = u0[3]));
    Transistor t1(width = 4, g0 = u0[1], d0 = out0), t2(width = 8, g0 = u0[2], d0 = out0, s0 = mid0, floating = true), t3(width = 8, g0 = u0[3], d0 = mid0);
  equation
    connect(t1.g, u1);
    connect(t2.g, u2);
    connect(t3.g, u3);
    connect(t1.d, out);
    connect(t1.s, ground.p);
    connect(t2.d, out);
    connect(t2.s, t3.d);
    connect(t3.s, ground.p);
  end AndOrNot;

  model OrAndNot "not (u1 and (u2 or u3))"
    extends Gate;
    Pin u1(v(start = u0[1])), u2(v(start = u0[2])), u3(v(start = u0[3]));
    Transistor t1(width = 8, g0 = u0[1], d0 = out0, s0 = mid0, floating = true), t2(width = 8, g0 = u0[2], d0 = mid0), t3(width = 8, g0 = u0[3], d0 = mid0);
  equation
    connect(t1.g, u1);
    connect(t2.g, u2);
    connect(t3.g, u3);
    connect(t1.d, out);
    connect(t1.s, t2.d);
    connect(t2.d, t3.d);
    connect(t2.s, ground.p);
    connect(t3.s, ground.p);
  end OrAndNot;

  model Output "capacitor to ground"
    Pin p;
    Real q = Cout*p.v;
  equation
    p.i = der(q);
  initial equation
    der(q) = 0;
  end Output;

  Pulse a0(delay = 0, plateau = 5, period = 20), b0(delay = 10, plateau = 15, period = 40) "inverted inputs, low bits";
  Pulse a1(delay = 30, plateau = 35, period = 80), b1(delay = 70, plateau = 75, period = 160) "high bits";
  Pulse carry(delay = 150, plateau = 155, period = 320);
  Nor nor1(out0 = 5), nor2(out0 = 5), nor3(out0 = 5);
  AndOrNot andoi1(out0 = 0.204, mid0 = -0.228160951881241, u0 = {5, 0, 0}),
    andoi2(out0 = 0.204, mid0 = -0.026041071738434, u0 = {5, 0, 0}),
    andoi3(out0 = 0.204, mid0 = -0.026041071737963, u0 = {5, 0, 0}),
    andoi4(out0 = 0.204, mid0 = 4.734672533390062, u0 = {5, 0, 0}),
    andoi5(out0 = 0.204, mid0 = 0.204040693096037, u0 = {5, 5, 0});
  Nand nand1(out0 = 5, mid0 = -0.025968303070040);
  OrAndNot orani1(out0 = 5, mid0 = 4.744923533081098, u0 = {5, 0, 0});
  Transistor t1(width = 12, d0 = 0.204, s0 = -0.026017361873568, floating = true),
    t2(width = 12, d0 = -0.026, s0 = -0.026017590106918, floating = true), t3(width = 12) "in series";
  Supply ground(V = 0);
  Output s0, s1, c "sum and carry";
equation
  connect(nor1.u1, a0.p);
  connect(nor1.u2, b0.p);
  connect(andoi1.u1, nor1.out);
  connect(andoi1.u2, b0.p);
  connect(andoi1.u3, a0.p);
  connect(nor2.u1, andoi1.out);
  connect(nor2.u2, carry.p);
  connect(andoi2.u1, nor2.out);
  connect(andoi2.u2, carry.p);
  connect(andoi2.u3, andoi1.out);
  connect(andoi2.out, s0.p);
  connect(andoi3.u1, nor1.out);
  connect(andoi3.u2, carry.p);
  connect(andoi3.u3, andoi1.out);
  connect(nor3.u1, a1.p);
  connect(nor3.u2, b1.p);
  connect(andoi4.u1, nor3.out);
  connect(andoi4.u2, b1.p);
  connect(andoi4.u3, a1.p);
  connect(nand1.u1, andoi3.out);
  connect(nand1.u2, andoi4.out);
  connect(orani1.u1, nand1.out);
  connect(orani1.u2, andoi3.out);
  connect(orani1.u3, andoi4.out);
  connect(orani1.out, s1.p);
  connect(andoi5.u1, nor3.out);
  connect(andoi5.u2, nor1.out);
  connect(andoi5.u3, andoi4.out);
  connect(andoi5.out, c.p);
  connect(t1.d, c.p);
  connect(t1.g, andoi4.out);
  connect(t1.s, t2.d);
  connect(t2.g, andoi1.out);
  connect(t2.s, t3.d);
  connect(t3.g, carry.p);
  connect(t3.s, ground.p);
  annotation(experiment(StopTime = 320));
end twobit;
