model M
  Real x[3];
equation
  for i in 1:3 loop
    if i > 1 then
      x[i] = i;
    end for;
  end if;
end M;
