// Two sources of different voltage in parallel.
model TwoVoltages
  Vincolo.Electrical.ConstantVoltage s1(V = 1), s2(V = 2);
  Vincolo.Electrical.Ground ground;
equation
  connect(s1.p, s2.p);
  connect(s1.n, s2.n);
  connect(s1.n, ground.p);
end TwoVoltages;
