model RobertsonDae "Robertson's reactions, the third equation replaced by the sum of the parts"
  parameter Real p1 = 0.04, p2 = 1e4, p3 = 3e7;
  Real y1(start = 1, fixed = true), y2(start = 0, fixed = true), y3(start = 0);
equation
  der(y1) = p2*y2*y3 - p1*y1;
  der(y2) = p1*y1 - p2*y2*y3 - p3*y2^2;
  y1 + y2 + y3 = 1;
end RobertsonDae;
