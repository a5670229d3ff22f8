model Legal
  discrete Real x(start = 0, fixed = true);
  discrete Real y[2](each start = 0, each fixed = true);
equation
  when sample(0, 0.1) then
    x = time;
  end when;
algorithm
  when sample(0, 0.1) then
    y := {time, 2*time};
  end when;
end Legal;

model IllegalBinding
  discrete Real x = 1;
end IllegalBinding;

model IllegalEquation
  discrete Real x;
equation
  x = if time < 0.5 then 1 else 2;
end IllegalEquation;
