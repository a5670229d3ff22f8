function clip
  input Real u;
  output Real y;
algorithm
  if u < 0 then
    u := 0;
  end if;
  y := u;
end clip;

model FunctionAssignsInput
  Real y = clip(time);
end FunctionAssignsInput;
