model Carried
  Real a, b, v = 0.5, x(start = 0, fixed = true);
equation
  der(x) = v;
  (a, b) = spatialDistribution(sin(10*time), 0, x, v > 0, {0.0, 1.0}, {0.0, 0.0});
end Carried;
