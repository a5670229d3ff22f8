model ClockedIntegerThatGrows "3^34 > 2^53, at a tick"
  Integer n(start = 1);
  Real x = hold(n);
equation
  when Clock(1, 100) then
    n = 3*previous(n);
  end when;
end ClockedIntegerThatGrows;
