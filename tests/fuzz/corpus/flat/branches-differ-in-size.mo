model BranchesDifferInSize
  Real x = time;
  Real y[2] = if x > 1 then {1, 2} else {1, 2, 3};
end BranchesDifferInSize;
