model Aliasing "Two oscillations that agree at every sample, and the fast one as an integrator sees it"
  parameter Real h = 0.1 "sampling interval", omega = 5;
  parameter Real pi = 3.141592653589793;
  parameter Real nyquist = pi/h, alias = omega + 2*pi/h;
  Real slow = sin(omega*time), fast = sin(alias*time);
  discrete Real seen(start = 0, fixed = true) "`fast`, sampled and held";
  Real p(start = 0, fixed = true), q(start = 1, fixed = true) "p = `fast`, integrated";
equation
  when sample(0, h) then
    seen = fast;
  end when;
  der(p) = alias*q;
  der(q) = -alias*p;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end Aliasing;
