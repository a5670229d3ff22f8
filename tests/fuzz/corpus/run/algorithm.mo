model Steps
  Real x(start = 1, fixed = true), y, z;
  Integer count(start = 0);
equation
  der(x) = cos(3*time);
algorithm
  y := x;
  for i in {1, 3, 5} loop
    y := y + x^i/i;
    if y > 2 then
      break;
    end if;
  end for;
  z := if y > 1 then y else -y;
algorithm
  when {x > 1.1, time > 0.5} then
    count := pre(count) + 1;
  end when;
end Steps;
