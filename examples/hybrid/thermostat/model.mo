model Thermostat "A heater switched by a thermostat with hysteresis"
  parameter Real T_out = 5 "outside, degC", T_on = 19, T_off = 21 "thresholds, degC";
  parameter Real tau = 3600 "time constant of the room, s", rise = 30 "by the heater, K";
  Real T(start = 15, fixed = true) "of the room, degC";
  Boolean heating(start = true, fixed = true);
  discrete Real t_on(start = 0, fixed = true), t_off(start = 0, fixed = true) "last switching";
equation
  tau*der(T) = T_out - T + (if heating then rise else 0);
  when T < T_on then
    heating = true;
    t_on = time;
    t_off = pre(t_off);
  elsewhen T > T_off then
    heating = false;
    t_on = pre(t_on);
    t_off = time;
  end when;
  annotation(experiment(StopTime = 14400, Tolerance = 1e-8));
end Thermostat;
