package P
  model M
    Real x;
  equation
    if x > 0 then
      x = f(1,
