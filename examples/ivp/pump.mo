model pump "Charge pump: a transistor between two capacitors, driven by pulses: index 2"
  constant Real Cs = 1.6e-12, Cd = 0.4e-12, Cox = 4e-12, UT0 = 0.2, gamma = 0.035, phi = 1.01;
  constant Real UFB = UT0 - gamma*sqrt(phi) - phi "flat band";

  function gate "charge of the gate"
    input Real v1 "gate", v2 "gate over source", v3 "gate over drain";
    output Real Q;
  protected
    Real Ubs = v2 - v1;
    Real root = sqrt(phi - Ubs);
    Real Ute = UT0 + gamma*(root - sqrt(phi)) "threshold";
    Real s = v2 - Ute, d = max(v3 - Ute, 0);
  algorithm
    Q := Cox*(if v1 <= UFB then v1 - UFB elseif v2 <= Ute then gamma*(sqrt((gamma/2)^2 + v1 - UFB) - gamma/2)
      else 2/3*(d + s - d*s/(d + s)) + gamma*root);
  end gate;

  function channel "charge of the channel, half at each end"
    input Real v1, v2, v3;
    output Real Q;
  protected
    Real root = sqrt(phi - (v2 - v1));
  algorithm
    Q := if v1 <= UFB or v2 <= UT0 + gamma*(root - sqrt(phi)) then 0 else -(gate(v1, v2, v3) - Cox*gamma*root)/2;
  end channel;

  Real QG(nominal = 1e-6), QS(nominal = 1e-6), QD(nominal = 1e-6) "charges of the transistor";
  Real YS(nominal = 1e-6), YD(nominal = 1e-6) "charges of the capacitors";
  Real U1, U2(start = 0, fixed = true), U3(start = 0, fixed = true) "voltages";
  Real I "current from the source";
  discrete Real t0(start = 0, fixed = true) "begin of the period";
  constant Real ns = 1e-9;
equation
  when sample(120*ns, 120*ns) then
    t0 = time;
  end when;
  U1 = if time < t0 + 50*ns then 0 elseif time < t0 + 60*ns then 20*(time - t0 - 50*ns)/(10*ns)
    elseif time < t0 + 110*ns then 20 else 20*(t0 + 120*ns - time)/(10*ns);
  der(QG) = I;
  der(YS) + der(QS) = 0;
  der(YD) + der(QD) = 0;
  QG = gate(U1, U1 - U2, U1 - U3);
  QS = channel(U1, U1 - U2, U1 - U3);
  QD = channel(U1, U1 - U2, U1 - U3);
  YS = Cs*U2;
  YD = Cd*U3;
  annotation(experiment(StopTime = 1.2e-6));
end pump;
