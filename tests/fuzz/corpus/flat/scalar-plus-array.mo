model ScalarPlusArray
  Real v[3] = {time, 1, 2};
  Real s[3] = v + 1;
end ScalarPlusArray;
