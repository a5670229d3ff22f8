model M
equation
  when a then
    x = 1;
  else
    x = 2;
  end when;
end M;
