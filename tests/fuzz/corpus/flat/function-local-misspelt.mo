function mean
  input Real u[:];
  output Real y;
protected
  Real total = 0;
algorithm
  for i in 1:size(u, 1) loop
    total := totl + u[i];
  end for;
  y := total/size(u, 1);
end mean;

model FunctionLocalMisspelt
  Real y = mean({time, 2, 3});
end FunctionLocalMisspelt;
