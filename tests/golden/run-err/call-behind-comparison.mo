function halved "log of x, halved until it is small"
  input Real x;
  output Real y;
algorithm
  y := log(x);
  while y > 10 loop
    y := y/2;
  end while;
end halved;
model CallBehindComparison "The comparison with what is no number is false: the call is to blame"
  Real z(start = 0, fixed = true), y;
equation
  der(z) = 0;
  y = (if noEvent(halved(-1 - time) > 0) then 1 else z)/z;
end CallBehindComparison;
