model Valve
  Real q, dp;
equation
  if dp > 0 then
    q = dp;
  else
    q = -dp;
end Valve;
