model Inside "the integral inside has a value, that around it has a pole"
  parameter Real a = 0.25;
  parameter Real s = Vincolo.integral(1/(x - Vincolo.integral(a*y for y in 0:1)) for x in 0:1);
end Inside;
