model Bounce
  parameter Real e = 0.7;
  Real h(start = 0.02, fixed = true), v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
  Boolean rest(start = false, fixed = true);
equation
  der(h) = v;
  der(v) = if pre(rest) then 0 else -9.81;
  when h < 0 then
    reinit(v, -e*pre(v));
    n = pre(n) + 1;
    rest = abs(v) < 0.01;
  end when;
end Bounce;
