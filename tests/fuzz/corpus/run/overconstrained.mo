model Gears
  Real a(start = 0, fixed = true), b, c, wa(start = 1, fixed = true), wb, wc, T;
equation
  der(a) = wa;
  der(b) = wb;
  der(c) = wc;
  a = 2*b;
  b + c = 0;
  der(wa) + 2*der(wb) - der(wc) = T - 0.1*wa;
  T = 0.3*sin(time);
end Gears;
