function poly
  input Real c[:];
  input Real x;
  output Real y;
protected
  Real p;
algorithm
  y := 0;
  p := 1;
  for i in 1:size(c, 1) loop
    y := y + c[i]*p;
    p := p*x;
  end for;
  if y > 100 then
    y := 100;
    return;
  end if;
end poly;
function pair
  input Real a = 1;
  input Integer n = 2;
  output Real s;
  output Real t[n];
algorithm
  s := a;
  while s > 0.5 loop
    s := s/2;
  end while;
  t := fill(s, n);
end pair;
model Functions
  Real x(start = 0.5, fixed = true), s, t[2];
equation
  der(x) = -poly({1, -2, 0.5}, x);
  (s, t) = pair(2 + x*x);
end Functions;
