model M
  discrete Real x;
equation
  when time > 1 then
    when time > 2 then
      x = 1;
    end when;
  end when;
end M;
