model Index2 "x is given, y is its derivative with a minus sign: index 2; from a right and from a wrong start"
  model System
    Real x(start = 0), y(start = -1);
  equation
    x - sin(time) = 0;
    der(x) + y = 0;
  end System;
  System consistent, wrong(x(start = 0.1));
  annotation(experiment(StopTime = 10));
end Index2;
