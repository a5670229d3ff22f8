model WhenEquationsDependent
  discrete Real y, w;
equation
  when time > 0.5 then
    y = w + 1;
    w = y;
  end when;
end WhenEquationsDependent;
