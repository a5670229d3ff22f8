model Friction "Four blocks slide out, a fifth is pushed: models of friction side by side"
  parameter Real m = 1 "mass", g = 9.81 "gravity", v0 = 3 "speed at the start";
  parameter Real mu = 0.1 "kinetic", mu_s = 0.15 "static coefficient";
  parameter Real b = 0.5 "N s/m: linear viscous", c = 0.5 "N s2/m2: quadratic";
  Real coulomb(start = v0, fixed = true) "F = -mu N sgn v";
  Real linear(start = v0, fixed = true) "F = -b v";
  Real quadratic(start = v0, fixed = true) "F = -c v |v|";
  Real both(start = v0, fixed = true) "F = -mu N sgn v - b v";
  Real pushed(start = 0, fixed = true) "held by static friction, then Coulomb's";
  Boolean slides[2](each start = true, each fixed = true) "coulomb, both";
  Boolean stuck(start = true, fixed = true) "the block that is pushed";
  discrete Real t_coulomb(start = 0, fixed = true),
    t_both(start = 0, fixed = true) "when they come to rest";
  discrete Real t_breaks(start = 0, fixed = true) "when the push is stronger than static friction";
  Real push = time/2 "N";
  Real held "friction on the block that is pushed: what holds it, or Coulomb's";
equation
  m*der(coulomb) = if slides[1] then -mu*m*g else 0;
  m*der(linear) = -b*linear;
  m*der(quadratic) = -c*quadratic*abs(quadratic);
  m*der(both) = if slides[2] then -mu*m*g - b*both else 0;
  held = if stuck then -push else -mu*m*g;
  m*der(pushed) = push + held;
  when coulomb <= 0 then
    slides[1] = false;
    t_coulomb = time;
    reinit(coulomb, 0);
  end when;
  when both <= 0 then
    slides[2] = false;
    t_both = time;
    reinit(both, 0);
  end when;
  when push > mu_s*m*g then
    stuck = false;
    t_breaks = time;
  end when;
  annotation(experiment(StopTime = 8, Tolerance = 1e-9));
end Friction;
