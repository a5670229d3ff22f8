model M
  Real x;
equation
  if a then
    x = 1;
  else if b then
    x = 2;
  else
    x = 3;
  end if;
end M;
