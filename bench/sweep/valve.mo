model Valve "Pressure-relief valve with impacts on its seat; returns to the section y2 = 0, falling"
  parameter Real kappa = 1.25, delta = 10, beta = 20, r = 0.8, q = 3;
  parameter Integer transient = 1024, recorded = 32;
  parameter Real slow = 1e-3 "impacts slower than this end on the seat";
  Real y1(start = 0.2, fixed = true), y2(start = 0, fixed = true), y3(start = 0, fixed = true);
  Boolean seated(start = false, fixed = true), falling = y2 < 0, lifted = y3 > delta;
  Integer n(start = 0, fixed = true) "returns";
  discrete Real high(start = 0, fixed = true), low(start = 1e9, fixed = true);
equation
  der(y1) = if seated then 0 else y2;
  der(y2) = if seated then 0 else -kappa*y2 - (y1 + delta) + y3;
  der(y3) = beta*(q - y1*sqrt(y3));
  when y1 < 0 then
    seated = pre(y2) > -slow and not lifted;
    reinit(y2, if seated then 0 else -r*pre(y2));
  elsewhen lifted then
    seated = false;
  end when;
  when falling then
    n = pre(n) + 1;
    high = if pre(n) < transient then 0 else max(pre(high), y1);
  end when;
  when not falling then
    low = if pre(n) < transient then 1e9 else min(pre(low), y1);
  end when;
  when n >= transient + recorded then
    terminate("all returns are recorded");
  end when;
end Valve;
