model GearShift "A car that shifts up: guard conditions and reset maps"
  parameter Real ratio[4] = {12, 8, 16/3, 32/9} "engine over wheel speed; each gear has 2/3 of the last";
  parameter Real torque = 150 "of the engine, Nm", m = 1200 "mass, kg", r = 0.3 "wheel radius, m";
  parameter Real drag = 0.4 "N s2/m2", rpm_shift = 4500 "guard";
  parameter Real rpm_factor = 30/3.14159265358979323846;
  Integer gear(start = 1, fixed = true) "discrete state q";
  Real rpm(start = 1000, fixed = true) "continuous state x";
  Real speed = rpm/rpm_factor*r/ratio[gear] "of the car, m/s";
  discrete Real t_shift(start = 0, fixed = true) "time of the last shift";
equation
  der(rpm) = rpm_factor*ratio[gear]/r*(torque*ratio[gear]/r - drag*speed^2)/m;
  when rpm > rpm_shift and pre(gear) < 4 then      // guard G(q, q + 1)
    gear = pre(gear) + 1;
    reinit(rpm, ratio[gear]/ratio[pre(gear)]*rpm); // reset map R(q, q + 1, x) = 2/3 x
    t_shift = time;
  end when;
  annotation(experiment(StopTime = 25, Tolerance = 1e-8));
end GearShift;
