model TwoMass "Two masses on a support that becomes stiff, and then rigid"
  import Vincolo.Mechanics.Translational.*;
  model OnSpring "Started on the slow mode: x1 = (1 - w^2) x2, where c w^2 is small against the support"
    parameter Real c(unit = "N/m") = 10 "stiffness of the support; the spring and both masses are 1";
    parameter Real p = (c + 2)/2;
    parameter Real ww(unit = "1/s2") = c/(p + sqrt(p^2 - c)) "square of the slow frequency";
    Ground ground;
    Spring support(c = c), spring(c = 1);
    Mass first(m = 1, s(start = 1 - ww, fixed = true), v(start = 0, fixed = true));
    Mass second(m = 1, s(start = 1, fixed = true), v(start = 0, fixed = true));
  equation
    connect(ground.flange, support.a);
    connect(support.b, first.a);
    connect(first.b, spring.a);
    connect(spring.b, second.a);
  end OnSpring;
  model OnWall "The limit: the first mass does not move, and its equation gives the force on the wall"
    Ground ground;
    Spring spring(c = 1);
    Mass first(m = 1), second(m = 1, s(start = 1, fixed = true), v(start = 0, fixed = true));
  equation
    connect(ground.flange, first.a);
    connect(first.b, spring.a);
    connect(spring.b, second.a);
  end OnWall;
  OnSpring soft(c = 10), stiff(c = 1e3), hard(c = 1e6);
  OnWall wall;
  annotation(experiment(StopTime = 20));
end TwoMass;
