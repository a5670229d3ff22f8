model DerOfInteger
  constant Integer k = 1;
  Real y = der(k);
end DerOfInteger;
