model WhenClauses
  Real x(start = 1, fixed = true), v(start = 0);
  discrete Real h;
  Integer n(start = 0, fixed = true);
  Boolean b;
  discrete Real q[2];
equation
  der(x) = v;
  der(v) = -9.81;
  when x < 0 then
    reinit(v, -0.8*pre(v));
    n = pre(n) + 1;
  elsewhen {initial(), time > 1} then
    n = 5;
  end when;
  when sample(0, 0.1) then
    h = x;
    for i in 1:2 loop
      q[i] = i*x;
    end for;
    if h > 1 then
      b = true;
    else
      b = false;
    end if;
  end when;
  when n >= 10 then
    terminate("enough");
  end when;
  assert(x > -1, "below " + String(x), AssertionLevel.warning);
end WhenClauses;
