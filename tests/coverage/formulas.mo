model Formulas "Numbers that can be checked by hand"
  import F = Vincolo.Formulas;
  Real inverse[3, 3] = F.inverse([2, 0, 0; 0, 4, 0; 1, 0, 5]) "1/2, 1/4, 1/5; -1/10 below";
  Real cot = F.cot(0.78539816339744831) "1";
  Real off = max(abs(F.identities(0.3, 1.1))) "0";
  Real sum = F.geometric(3, 0.5, 4) "3 + 1.5 + 0.75 + 0.375";
end Formulas;
