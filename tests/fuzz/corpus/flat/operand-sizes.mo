model OperandSizes
  Real v[3] = {time, 1, 2};
  Real w[2] = {1, 2};
  Real s[3] = v + w;
end OperandSizes;
