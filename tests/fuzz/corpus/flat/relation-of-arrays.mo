model RelationOfArrays
  Real v[2] = {time, 1};
  Boolean b = v > {0, 0};
end RelationOfArrays;
