model Assertion
  parameter Real limit = 3.2;
  Real x(start=0, fixed=true);
  Real y = x;
  Integer n(start = 0);
equation
  der(x) = 1;
  when sample(0, 0.5) then
    n = pre(n) + 1;
    assert(n < 3, "more than two samples", AssertionLevel.warning);
  end when;
  assert(y < limit, "x is too large: " + String(x) + " after " + String(n) + " samples, limit " + String(limit, format="8.3f"));
  annotation(experiment(StopTime=5));
end Assertion;
