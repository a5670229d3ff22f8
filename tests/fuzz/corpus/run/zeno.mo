model Chatter
  Real x(start = 0.001, fixed = true);
equation
  der(x) = if x > 0 then -1 else 1;
end Chatter;
