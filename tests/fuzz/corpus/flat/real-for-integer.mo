model RealForInteger
  parameter Real n = 3;
  Real v[n] = fill(time, 3);
end RealForInteger;
