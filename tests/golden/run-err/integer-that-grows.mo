model IntegerThatGrows "3^34 > 2^53: a double cannot tell it from its neighbours"
  Integer n(start = 1, fixed = true);
equation
  when sample(0.01, 0.01) then
    n = 3*pre(n);
  end when;
end IntegerThatGrows;
