model ring "Ring modulator: 15 voltages and currents of a circuit with four diodes, many fast oscillations"
  constant Real pi = 3.14159265358979323846;
  constant Real C = 1.6e-8, Cs = 2e-12, Cp = 1e-8, R = 25e3, Rp = 50, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4, Ls3 = 5e-4,
    Rg1 = 36.3, Rg2 = 17.3, Rg3 = 17.3, Ri = 50, Rc = 600;
  constant Real gamma = 40.67286402e-9, delta = 17.7493332 "of the diodes";

  function diode "current through a diode"
    input Real u "voltage";
    output Real i;
  algorithm
    i := gamma*(exp(delta*u) - 1);
  end diode;

  Real y[15](each start = 0) "seven voltages, eight currents";
  Real Uin1 = 0.5*sin(2000*pi*time) "low-frequency signal";
  Real Uin2 = 2*sin(20000*pi*time) "carrier";
  Real q[4] = {diode(y[3] - y[5] - y[7] - Uin2), diode(-y[4] + y[6] - y[7] - Uin2), diode(y[4] + y[5] + y[7] + Uin2),
    diode(-y[3] - y[6] + y[7] + Uin2)};
equation
  C*der(y[1]) = y[8] - 0.5*y[10] + 0.5*y[11] + y[14] - y[1]/R;
  C*der(y[2]) = y[9] - 0.5*y[12] + 0.5*y[13] + y[15] - y[2]/R;
  Cs*der(y[3]) = y[10] - q[1] + q[4];
  Cs*der(y[4]) = -y[11] + q[2] - q[3];
  Cs*der(y[5]) = y[12] + q[1] - q[3];
  Cs*der(y[6]) = -y[13] - q[2] + q[4];
  Cp*der(y[7]) = -y[7]/Rp + q[1] + q[2] - q[3] - q[4];
  Lh*der(y[8]) = -y[1];
  Lh*der(y[9]) = -y[2];
  Ls2*der(y[10]) = 0.5*y[1] - y[3] - Rg2*y[10];
  Ls3*der(y[11]) = -0.5*y[1] + y[4] - Rg3*y[11];
  Ls2*der(y[12]) = 0.5*y[2] - y[5] - Rg2*y[12];
  Ls3*der(y[13]) = -0.5*y[2] + y[6] - Rg3*y[13];
  Ls1*der(y[14]) = -y[1] + Uin1 - (Ri + Rg1)*y[14];
  Ls1*der(y[15]) = -y[2] - (Rc + Rg1)*y[15];
  annotation(experiment(StopTime = 1e-3));
end ring;
