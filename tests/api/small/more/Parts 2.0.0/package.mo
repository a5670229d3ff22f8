package Parts
  model Lag
    Real x(start = 1, fixed = true);
  equation
    der(x) = -2*x;
  end Lag;
  annotation(version = "2.0.0");
end Parts;
