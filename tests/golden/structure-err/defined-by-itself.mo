model DefinedByItself "n = n + 1 is no value; pre(n) + 1 was meant"
  Integer n(start = 0, fixed = true);
  discrete Real u(start = 0, fixed = true);
  Boolean b = if time > 0.5 then not b else true;
equation
  when sample(0.1, 0.1) then
    n = n + 1;
    u = u + time;
  end when;
end DefinedByItself;
