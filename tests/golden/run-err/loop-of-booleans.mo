model LoopOfBooleans "a = not a: there is no value, and none is taken for it"
  Boolean a(start = false, fixed = true), b(start = false, fixed = true);
equation
  when sample(0.1, 0.1) then
    a = not b;
    b = a;
  end when;
end LoopOfBooleans;
