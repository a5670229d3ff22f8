model nand "NAND gate of three transistors: an implicit ODE whose capacitances depend on the voltages"
  constant Real Rgs = 4, Rgd = 4, Rbs = 10, Rbd = 10, Cgs = 0.6e-4, Cgd = 0.6e-4, Cbd = 2.4e-5, C9 = 0.5e-4;
  constant Real delta = 0.02, Is = 1e-14, Vt = 25.85, Vdd = 5, Vbb = -2.5, phiB = 0.87;

  record Channel "of a field-effect transistor after Shichman and Hodges"
    Real VT0, gamma, phi, forward, backward;
  end Channel;
  constant Channel depletion(VT0 = -2.43, gamma = 0.2, phi = 1.28, forward = 5.35e-4, backward = 5.35e-4);
  constant Channel enhancement(VT0 = 0.2, gamma = 0.035, phi = 1.01, forward = 1.748e-3, backward = 1.748e-4);

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

  function current "from drain to source"
    input Channel c;
    input Real vds, vgs, vbs, vgd, vbd;
    output Real i;
  algorithm
    i := if vds > 0 then c.forward*conduct(c, vds, vgs, vbs) else -c.backward*conduct(c, -vds, vgd, vbd);
  end current;

  function junction "current of a pn-junction from the bulk"
    input Real v;
    output Real i;
  algorithm
    i := if v <= 0 then Is*(exp(v/Vt) - 1) else 0;
  end junction;

  function capacitance "of a pn-junction"
    input Real v;
    output Real C;
  algorithm
    C := if v <= 0 then Cbd/sqrt(1 - v/phiB) else Cbd*(1 + v/(2*phiB));
  end capacitance;

  model Pulse "0 V, a ramp to 5 V, a plateau, a ramp back; periodic"
    parameter Real delay, plateau, period;
    constant Real ramp = 5, high = 5;
    discrete Real t0(start = 0, fixed = true) "begin of the period";
    Real v, slope;
  equation
    when sample(period, period) then
      t0 = time;
    end when;
    slope = if time < t0 + delay then 0 elseif time < t0 + delay + ramp then high/ramp
      elseif time < t0 + delay + ramp + plateau then 0 elseif time < t0 + delay + 2*ramp + plateau then -high/ramp else 0;
    v = if time < t0 + delay then 0 elseif time < t0 + delay + ramp then high/ramp*(time - t0 - delay)
      elseif time < t0 + delay + ramp + plateau then high
      elseif time < t0 + delay + 2*ramp + plateau then high/ramp*(t0 + delay + 2*ramp + plateau - time) else 0;
  end Pulse;

  Pulse in1(delay = 5, plateau = 5, period = 20), in2(delay = 15, plateau = 15, period = 40);
  Real y[14](start = {5, 5, Vbb, Vbb, 5, 3.62385, 5, Vbb, Vbb, 3.62385, 0, 3.62385, Vbb, Vbb}) "voltages of the nodes";
  Real i1 = current(depletion, y[2] - y[1], y[5] - y[1], y[3] - y[5], y[5] - y[2], y[4] - Vdd);
  Real i2 = current(enhancement, y[7] - y[6], in1.v - y[6], y[8] - y[10], in1.v - y[7], y[9] - y[5]);
  Real i3 = current(enhancement, y[12] - y[11], in2.v - y[11], y[13], in2.v - y[12], y[14] - y[10]);
  Real b[6] = {capacitance(y[3] - y[5])*(der(y[3]) - der(y[5])) + junction(y[3] - y[5]),
    capacitance(y[4] - Vdd)*der(y[4]) + junction(y[4] - Vdd),
    capacitance(y[8] - y[10])*(der(y[8]) - der(y[10])) + junction(y[8] - y[10]),
    capacitance(y[9] - y[5])*(der(y[9]) - der(y[5])) + junction(y[9] - y[5]),
    capacitance(y[13])*der(y[13]) + junction(y[13]),
    capacitance(y[14] - y[10])*(der(y[14]) - der(y[10])) + junction(y[14] - y[10])} "currents from the bulk";
equation
  Cgs*(der(y[1]) - der(y[5])) = (y[5] - y[1])/Rgs + i1;
  Cgd*(der(y[2]) - der(y[5])) = (Vdd - y[2])/Rgd - i1;
  b[1] = (Vbb - y[3])/Rbs;
  b[2] = (Vbb - y[4])/Rbd;
  Cgs*(der(y[5]) - der(y[1])) + Cgd*(der(y[5]) - der(y[2])) + C9*der(y[5])
    = (y[1] - y[5])/Rgs + (y[7] - y[5])/Rgd + b[1] + b[4] "output";
  Cgs*(der(y[6]) - in1.slope) = (y[10] - y[6])/Rgs + i2;
  Cgd*(der(y[7]) - in1.slope) = (y[5] - y[7])/Rgd - i2;
  b[3] = (Vbb - y[8])/Rbs;
  b[4] = (Vbb - y[9])/Rbd;
  C9*der(y[10]) = (y[6] - y[10])/Rgs + (y[12] - y[10])/Rgd + b[3] + b[6];
  Cgs*(der(y[11]) - in2.slope) = -y[11]/Rgs + i3;
  Cgd*(der(y[12]) - in2.slope) = (y[10] - y[12])/Rgd - i3;
  b[5] = (Vbb - y[13])/Rbs;
  b[6] = (Vbb - y[14])/Rbd;
  annotation(experiment(StopTime = 80));
end nand;
