model Branches
  Real x(start = 0, fixed = true), y, z;
equation
  der(x) = 1;
  if x < 0.02 then
    y = 1;
    z = x + y;
  elseif x < 0.04 then
    z = 2;
    y = z - x;
  else
    y = sin(x);
    z = cos(y);
  end if;
end Branches;
