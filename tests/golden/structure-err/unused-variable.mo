model UnusedVariable
  Real x, speed;
equation
  der(x) = -x;
end UnusedVariable;
