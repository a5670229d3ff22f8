block Hysteresis
  input Real u;
  output Boolean y(start = false, fixed = true);
  parameter Real low = -0.2, high = 0.2;
equation
  y = not pre(y) and u > high or pre(y) and u >= low;
end Hysteresis;
model Heater
  Hysteresis h;
  Real T(start = 0, fixed = true);
equation
  h.u = -T;
  der(T) = if h.y then 5 else -5;
end Heater;
