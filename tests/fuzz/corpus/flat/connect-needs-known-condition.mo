connector Pin
  Real v;
  flow Real i;
end Pin;
model M
  Pin a, b;
equation
  if time > 1 then
    connect(a, b);
  end if;
end M;
