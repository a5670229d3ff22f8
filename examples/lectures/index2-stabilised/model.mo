model Index2Stabilised "The constraint of the index-2 example replaced by tau z' + z = 0 for its violation z"
  model System
    parameter Real tau;
    Real x(start = 0.1), y(start = -1), z(start = 0.1);
  equation
    der(x) + y = 0;
    tau*der(z) + z = 0;
    z = x - sin(time);
  end System;
  System tau01(tau = 0.1), tau025(tau = 0.25), tau05(tau = 0.5), tau1(tau = 1);
  annotation(experiment(StopTime = 10));
end Index2Stabilised;
