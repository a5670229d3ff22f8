model DerOfCoordinate "The coordinate of an integral is no function of time"
  parameter Real s = Vincolo.integral(1/der(x) for x in 0:1);
end DerOfCoordinate;
