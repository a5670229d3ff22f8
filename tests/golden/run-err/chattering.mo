model Chattering "a clause that fires at each switching: no motion along the surface is meant"
  Real x(start=1, fixed=true);
  Boolean up(start=false, fixed=true);
  Integer n(start=0, fixed=true) "switchings";
equation
  der(x) = if up then 1 else -1;
  when {x < 0, x > 0} then
    up = x < 0;
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime=3));
end Chattering;
