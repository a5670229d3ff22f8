model Sampled
  Real x(start = 0, fixed = true);
  discrete Real u(start = 1, fixed = true), y(start = 0, fixed = true);
  Integer k(start = 0, fixed = true);
equation
  der(x) = u - x;
  when sample(0, 0.02) then
    y = x;
    u = 2*pre(u) - pre(y);
    k = pre(k) + 1;
  elsewhen x > 2 then
    u = 0;
    y = pre(y);
    k = -1;
  end when;
end Sampled;
