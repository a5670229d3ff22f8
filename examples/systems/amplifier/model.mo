model Amplifier "Common-emitter stage: a transistor amplifies a sine of 10 mV"
  import Vincolo.Electrical.*;
  ConstantVoltage supply(V = 12);
  SineVoltage input_(V = 0.01, f = 1000);
  Capacitor cin(C = 10e-6, v(start = -1.7)), cout(C = 10e-6, v(start = 6)), ce(C = 100e-6, v(start = 1)) "start at rest";
  Resistor r1(R = 47e3), r2(R = 8.2e3), rc(R = 4.7e3), re(R = 1e3), load(R = 47e3);
  NPN q(betaF = 200);
  Ground g;
  Real vin(unit = "V") = input_.v, vout(unit = "V") = load.v;
initial equation
  der(cin.v) = 0;
  der(cout.v) = 0;
  der(ce.v) = 0;
equation
  connect(supply.n, g.p);
  connect(input_.n, g.p);
  connect(input_.p, cin.p);
  connect(cin.n, q.b);
  connect(r1.p, supply.p);
  connect(r1.n, q.b);
  connect(r2.p, q.b);
  connect(r2.n, g.p);
  connect(rc.p, supply.p);
  connect(rc.n, q.c);
  connect(re.p, q.e);
  connect(re.n, g.p);
  connect(ce.p, q.e);
  connect(ce.n, g.p);
  connect(cout.p, q.c);
  connect(cout.n, load.p);
  connect(load.n, g.p);
  annotation(experiment(StopTime = 0.005));
end Amplifier;
