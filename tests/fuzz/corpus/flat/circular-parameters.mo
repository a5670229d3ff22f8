model M
  parameter Real a = b + 1;
  parameter Real b = 2*c;
  parameter Real c = a;
end M;
