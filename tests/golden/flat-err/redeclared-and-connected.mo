connector Signal = input Real;
block Gain
  redeclare Signal u;
  output Real y = 2*u;
end Gain;
model RedeclaredAndConnected "What is redeclared wrongly is connected"
  Signal u;
  Gain gain;
equation
  connect(u, gain.u);
end RedeclaredAndConnected;
