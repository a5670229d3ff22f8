model Index2 "x is given, y is its derivative with a minus sign: index 2"
  Real x(start = 0, fixed = true);
  Real y(start = -1);
equation
  der(x) + y = 0;
  x - sin(time) = 0;
  annotation(experiment(StopTime = 5));
end Index2;
