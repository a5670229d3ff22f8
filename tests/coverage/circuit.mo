model Circuit "A coil and a capacitor behind a resistor, switched on at 0"
  import Vincolo.Electrical.*;
  ConstantVoltage source(V = 5);
  Resistor resistor(R = 2);
  Inductor coil(L = 0.5, i(start = 0, fixed = true));
  Capacitor capacitor(C = 0.02, v(start = 0, fixed = true));
  Ground ground;
equation
  connect(source.p, resistor.p);
  connect(resistor.n, coil.p);
  connect(coil.n, capacitor.p);
  connect(capacitor.n, source.n);
  connect(source.n, ground.p);
end Circuit;
