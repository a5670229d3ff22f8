model WhenEquationsWithoutSolution "u = u^2 + 1 has no real solution"
  discrete Real u(start = 1);
equation
  when time > 0.5 then
    u = u^2 + 1;
  end when;
end WhenEquationsWithoutSolution;
