model Ball
  Real v;
equation
  der(v) = -9.81;
end Ball
