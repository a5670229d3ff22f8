model RestsNever "a ball that loses a third of its speed at each impact: sqrt(2/g)*(1 + e)/(1 - e) = 2.2576"
  parameter Real e = 2/3;
  Real h(start=1, fixed=true), v(start=0, fixed=true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation(experiment(StopTime=5));
end RestsNever;
