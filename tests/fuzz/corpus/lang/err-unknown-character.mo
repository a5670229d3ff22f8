model M
  Real größe;
  Real x = 3 − 2;
  String s = “text”;
equation
  x = $5;
end M;
