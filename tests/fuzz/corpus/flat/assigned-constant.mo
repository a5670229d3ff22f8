model M
  constant Real c = 1;
  parameter Real p = 2;
  Real x;
algorithm
  x := 1;
  p := 3;
  c := 4;
end M;
