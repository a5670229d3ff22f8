model Pendulum "Point mass on a rod of length r in the notes' scaling of the multiplier"
  parameter Real g = 9.81, r = 2;
  Real x(start = 2, fixed = true), y(start = 0), u, v(start = 0, fixed = true), mu;
equation
  der(x) = u;
  der(y) = v;
  der(u) = x*mu;
  der(v) = y*mu - g;
  x^2 + y^2 = r^2;
end Pendulum;
