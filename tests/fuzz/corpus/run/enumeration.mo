model Gear
  type Mode = enumeration(low "slow", high, off);
  Mode mode(start = Mode.low, fixed = true);
  parameter Real ratio[Mode] = {1, 3, 0};
  Real x(start = 0, fixed = true);
equation
  der(x) = ratio[mode];
  mode = if time < 0.2 then Mode.low elseif time < 0.4 then Mode.high else Mode.off;
end Gear;
