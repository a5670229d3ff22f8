model Circuit "The laws of a capacitor and an inductor: a charged capacitor empties into a coil"
  parameter Real C = 0.5, L = 2, R = 0.2;
  Real v_C(start = 1, fixed = true), i_C, v_L, i_L(start = 0, fixed = true);
  Real stored = C*v_C^2/2 + L*i_L^2/2;
  Real burnt(start = 0, fixed = true) "in the resistance of the coil";
equation
  i_C = C*der(v_C);
  v_L = L*der(i_L);
  i_C + i_L = 0;
  v_C = v_L + R*i_L;
  der(burnt) = R*i_L^2;
  annotation(experiment(StopTime = 40, Tolerance = 1e-10));
end Circuit;
