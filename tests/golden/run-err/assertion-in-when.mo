model AssertionInWhen
  Integer n(start = 0);
equation
  when sample(0, 1) then
    n = pre(n) + 1;
    assert(n < 4, "the fourth sample");
  end when;
  annotation(experiment(StopTime = 5));
end AssertionInWhen;
