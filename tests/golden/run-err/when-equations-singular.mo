model WhenEquationsSingular "y = k y + 1 has no solution for k = 1, a parameter that could have another value"
  parameter Real k = 1;
  discrete Real y, w;
equation
  when time > 0.5 then
    y = k*w + 1;
    w = y;
  end when;
end WhenEquationsSingular;
