model Wrong
  parameter Real a = Vincolo.integral(1 for x in 1:2:3);
  parameter Real b = Vincolo.integral(1 for x in 0:1, y in 0:1, z in 0:1, u in 0:1);
  parameter Real c = Vincolo.integral("a" for x in 0:1);
  parameter Real d = Vincolo.integrate(x for x in 0:1);
  parameter Real e = Vincolo.integral(x for x in 0:"b");
  parameter Real f = Vincolo.integral(sqrt(x - 1/2) for x in 0:1);
  parameter Real g = Vincolo.solid({x, y, 1} for x in 0:1, y in 0:1);
  parameter Real h = Vincolo.solid({r*cos(a), r*sin(a), z, 1} for r in -1:1, a in 0:6.283185307179586, z in 0:1);
  parameter Real k = Vincolo.integral(1 for x in 0:y, y in 0:x);
  Real y(start = 1, fixed = true);
  discrete Real last(start = 0, fixed = true);
  Real i = Vincolo.integral(x*pre(last) for x in 0:1);
equation
  der(y) = -y;
  when y < 0.5 then
    last = y;
  end when;
end Wrong;
