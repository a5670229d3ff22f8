model VanDerPol "An oscillator that grows from rest, and a control"
  input Real u;
  Real x(start = 0, fixed = true);
  Real y(start = 1, fixed = true);
equation
  der(x) = (1 - y^2)*x - y + u;
  der(y) = x;
  annotation(experiment(StopTime = 5));
end VanDerPol;
