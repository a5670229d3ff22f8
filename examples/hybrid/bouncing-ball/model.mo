model BouncingBall "A ball that loses a fifth of its speed at each impact"
  parameter Real g = 9.81 "gravity", e = 0.8 "restitution";
  Real h(start = 1, fixed = true) "height";
  Real v(start = 0, fixed = true) "velocity";
  discrete Real t_impact(start = 0) "time of the last impact";
  Integer n(start = 0) "impacts so far";
equation
  der(h) = v;
  der(v) = -g;
  when h < 0 then
    reinit(v, -e*pre(v));
    t_impact = time;
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8),
    __Vincolo(draw = {rod({-0.4, 0}, {0.4, 0}), point({0, h})}));
end BouncingBall;
