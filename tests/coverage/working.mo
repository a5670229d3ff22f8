model Working "A bead whose wire pulls along the motion as well: its reaction does work"
  Real x(start = 1.2, fixed = true), y(start = -0.8, fixed = true);
  Real u(start = 0, fixed = true), v(start = 0, fixed = true);
  Real lambda;
equation
  der(x) = u;
  der(y) = v;
  2*der(u) = -(x/2 + 0.1)*lambda;
  2*der(v) = -19.62 - 2*y*lambda;
  x^2/4 + y^2 = 1;
end Working;
