model Ball
  Real h(start = 1)
  Real v;
equation
  der(h) = v
  der(v) = -9.81;
end Ball;
