model EndlessLoop
  Boolean a(start=false), b(start=false);
  Real x(start=0, fixed=true);
equation
  der(x) = 1;
  a = x > 1 and not pre(b);
  b = x > 1 and pre(a);
  annotation(experiment(StopTime = 2));
end EndlessLoop;
