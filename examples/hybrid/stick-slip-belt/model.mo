model StickSlipBelt "A block held by a spring on a moving belt: Karnopp's friction"
  parameter Real m = 1 "mass", k = 1 "spring to the ground", v_belt = 0.1 "speed of the belt";
  parameter Real mu_s = 0.4 "static", mu_k = 0.3 "kinetic coefficient of friction", g = 9.81;
  Real x(start = 0, fixed = true) "position; the spring is relaxed at 0";
  Real v(start = 0.1, fixed = true) "velocity";
  Real friction "force of the belt on the block";
  Boolean stuck(start = true, fixed = true) "moves with the belt";
  Integer direction(start = 0, fixed = true) "of sliding: 1 forward, -1 back on the belt";
  discrete Real t_slip(start = 0, fixed = true) "begin of the last slip";
  discrete Real t_stick(start = 0, fixed = true) "begin of the last stick";
  Real slip = v - v_belt "relative velocity";
equation
  der(x) = v;
  m*der(v) = friction - k*x;
  friction = if stuck then k*x else -direction*mu_k*m*g;
  when pre(stuck) and abs(k*x) > mu_s*m*g then // the spring pulls harder than the belt can hold
    stuck = false;
    direction = if k*x > 0 then -1 else 1;
    t_slip = time;
    t_stick = pre(t_stick);
  elsewhen not pre(stuck) and pre(direction)*slip < 0 then // the sliding has ended
    stuck = abs(k*x) <= mu_s*m*g;
    direction = if stuck then 0 else -pre(direction);
    t_slip = pre(t_slip);
    t_stick = time;
    reinit(v, v_belt);
  end when;
  annotation(experiment(StopTime = 100, Tolerance = 1e-8));
end StickSlipBelt;
