model CoulombIncline "A block thrown up an incline with dry friction"
  type Mode = enumeration(down, stuck, up);
  parameter Real m = 1 "mass", g = 9.81 "gravity";
  parameter Real alpha = 20*3.14159265358979323846/180 "slope of the incline";
  parameter Real mu = 0.3 "coefficient of friction, static and kinetic";
  Real x(start = 0, fixed = true) "way uphill";
  Real v(start = 2, fixed = true) "speed uphill";
  Real friction "force on the block, uphill";
  Mode mode(start = Mode.up) "which way it slides, if it does";
  discrete Real t_rest(start = -1) "when it last came to rest";
protected
  Real load = m*g*sin(alpha) "what gravity pulls downhill";
  Real grip = mu*m*g*cos(alpha) "the most that friction can hold";
equation
  der(x) = v;
  m*der(v) = friction - load;
  friction = if mode == Mode.up then -grip elseif mode == Mode.down then grip else load;
  when {v <= 0, v >= 0} then // the velocity reaches zero from either side
    mode = if load > grip then Mode.down elseif load < -grip then Mode.up else Mode.stuck;
    t_rest = time;
    reinit(v, 0);
  end when;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end CoulombIncline;
