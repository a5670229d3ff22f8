model Crane "A container that hangs from a trolley, in units of its makers"
  input Real u1 "pull of the trolley";
  input Real u2 "pull of the hoist";
  Real x(start = 0, fixed = true) "position of the trolley";
  Real l(start = 22, fixed = true) "length of the rope";
  Real phi(start = 0, fixed = true) "angle of the rope";
  Real v(start = 0, fixed = true);
  Real s(start = -1, fixed = true);
  Real w(start = 0, fixed = true);
equation
  der(x) = v;
  der(l) = s;
  der(phi) = w;
  der(v) = u1 + 17.2656*phi;
  der(s) = u2;
  der(w) = -(u1 + 27.0756*phi + 2*s*w)/l;
  annotation(experiment(StopTime = 9));
end Crane;
