model M
  Real x = if time > 1 then 2;
  Real y = 1 + if time > 1 then 2 else 3;
end M;
