model Friction
  Real v(start = 1, fixed = true), f;
  Integer mode(start = 1, fixed = true);
equation
  der(v) = sin(5*time) - f;
  f = if mode == 1 then 0.5 elseif mode == -1 then -0.5 else sin(5*time);
  when v < 0 then
    mode = -1;
  elsewhen v > 0.5 then
    mode = 1;
  elsewhen abs(v) < 0.01 then
    mode = 0;
  end when;
end Friction;
