package Parts
  model Lag
    Real x(start = 1, fixed = true);
  equation
    der(x) = -1*x;
  end Lag;
  annotation(version = "1.0.0");
end Parts;
