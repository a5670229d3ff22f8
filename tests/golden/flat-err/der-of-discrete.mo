model DerOfDiscrete
  discrete Real x(start = 1, fixed = true);
  Real y = der(x);
equation
  when sample(0, 0.1) then
    x = pre(x) + 1;
  end when;
end DerOfDiscrete;
