model Gyroscope "A spinning wheel on one end of a bar that is held at the other end"
  import Vincolo.Mechanics.Spatial.*;
  inner World world;
  Fixed ground;
  Spherical pivot;
  Body wheel(m = 1, J = {{0.02, 0, 0}, {0, 0.01, 0}, {0, 0, 0.01}}, at = [-0.2, 0, 0], r(start = {0.2, 0, 0}),
    p(each fixed = true), w(start = {100, 0, 0}, each fixed = true));
  Real azimuth(unit = "rad") = atan2(wheel.r[2], wheel.r[1]) "of the wheel about the pivot";
  Real height(unit = "m") = wheel.r[3];
equation
  connect(ground.frame, pivot.a);
  connect(pivot.b, wheel.frame[1]);
  annotation(experiment(StopTime = 3), __Vincolo(draw = {rod({0, 0, 0}, wheel.r), trace(wheel.r)}));
end Gyroscope;
