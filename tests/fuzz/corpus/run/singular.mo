model Vanishing
  Real x(start = 1, fixed = true), y(start = 1);
equation
  der(x) = -y;
  y*(x - 0.5) = 0.2*x;
end Vanishing;
