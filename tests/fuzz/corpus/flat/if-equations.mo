model IfEquations
  parameter Integer kind = 2;
  parameter Boolean extra = false;
  Real x, y, z, r;
  Boolean b;
equation
  if kind == 1 then
    x = 1;
    y = 2;
  elseif kind == 2 then
    x = time;
    y = x;
  else
    x = 0;
    x = y;
  end if;
  if extra then
    assert(x > 0, "no");
  end if;
  if time > 1 then
    z = 1;
    b = true;
  elseif time > 0.5 then
    b = x > 1;
    z = 2;
  else
    z = 3;
    b = false;
    assert(x > 0, "x is positive at first");
  end if;
  if time > 2 then
    r + x = 1;
  else
    r*x = 2;
  end if;
end IfEquations;
