model Governor "Stiff flyball governor: shaft, two arms with balls, slider, spring-dampers"
  import Vincolo.Mechanics.Spatial.*;
  import Vincolo.Rotations.{quaternion, fromQuaternion};
  constant Real pi = 3.14159265358979324;
  parameter Real alpha0 = pi/6 "angle of the arms below the horizontal at the start";
  parameter Real w0 = 2*pi;
  inner World world;
  Fixed ground;
  Revolute bearing(n = {0, 0, 1});
  // shaft with frames at its foot and at the pins of the arms
  Body shaft(m = 0.3, J = Vincolo.Rotations.box(0.3, {0.01, 0.01, 1}), at = [0, 0, -0.5; 0.05, 0, 0.5; -0.05, 0, 0.5; 0, 0, -0.5],
    r(start = {0, 0, 0.5}), w(start = {0, 0, w0}, fixed = {false, false, true}));
  // an arm of 1 m with a ball of 5 kg at its tip, as one body
  parameter Real ma = 5.3 "arm and ball", c = (0.3*0.5 + 5*1)/5.3 "mass centre from the pin";
  parameter Real Ja = 0.3/12 + 0.3*(c - 0.5)^2 + 5*(1 - c)^2 "across the arm";
  Body arm1(m = ma, J = diagonal({0.3*0.01^2/6, Ja, Ja}), at = [-c, 0, 0; 0.5 - c, 0, 0], p(start = quaternion({0, 1, 0}, alpha0)),
    r(start = {0.05 + c*cos(alpha0), 0, 1 - c*sin(alpha0)}), v(start = {0, w0*(0.05 + c*cos(alpha0)), 0}));
  Body arm2(m = ma, J = diagonal({0.3*0.01^2/6, Ja, Ja}), at = [-c, 0, 0; 0.5 - c, 0, 0],
    p(start = {0, -sin(alpha0/2), 0, cos(alpha0/2)}), r(start = {-0.05 - c*cos(alpha0), 0, 1 - c*sin(alpha0)}),
    v(start = {0, -w0*(0.05 + c*cos(alpha0)), 0}));
  Revolute pin1(n = {0, 1, 0}), pin2(n = {0, 1, 0}, nb = {0, -1, 0});
  Body slider(m = 3, J = Vincolo.Rotations.box(3, {0.1, 0.1, 0.1}), at = [0, 0, 0; 0.05, 0, 0; -0.05, 0, 0], r(start = {0, 0, 0.5}));
  Prismatic guide(n = {0, 0, 1});
  SpringDamper s1(c = 8e5, d = 4e4, s0 = 0.5, length(start = 0.5)), s2(c = 8e5, d = 4e4, s0 = 0.5, length(start = 0.5));
  Real s(unit = "m") = guide.s "height of the slider";
  Real speed(unit = "rad/s") = shaft.w[3];
equation
  connect(ground.frame, bearing.a);
  connect(bearing.b, shaft.frame[1]);
  connect(shaft.frame[2], pin1.a);
  connect(pin1.b, arm1.frame[1]);
  connect(shaft.frame[3], pin2.a);
  connect(pin2.b, arm2.frame[1]);
  connect(shaft.frame[4], guide.a);
  connect(guide.b, slider.frame[1]);
  connect(slider.frame[2], s1.a);
  connect(s1.b, arm1.frame[2]);
  connect(slider.frame[3], s2.a);
  connect(s2.b, arm2.frame[2]);
  annotation(experiment(StopTime = 10), __Vincolo(draw = {rod({0, 0, 0}, {0, 0, 1}), rod(shaft.frame[2].r, arm1.r), rod(shaft.frame[3].r, arm2.r)}));
end Governor;
