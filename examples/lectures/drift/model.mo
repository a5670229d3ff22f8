model Drift "Accelerations of the pendulum in closed form: nothing but the start says what the constraint was"
  model Pendulum
    parameter Real m = 1, g = 9.81;
    Real x(start = 1), y(start = 0), u(start = 0), v(start = 0);
    Real r = x^2 + y^2 "squared radius", s = u^2 + v^2;
    Real lambda = -m*(g*y - s)/(2*r);
    Real Phi = r - 1;
  equation
    der(x) = u;
    der(y) = v;
    // the 3 by 3 system of M, Phi_q and c, solved
    der(u) = x*(g*y - s)/r;
    der(v) = -(g*x^2 + y*s)/r;
  end Pendulum;
  Pendulum consistent;
  Pendulum shifted(x(start = sqrt(1.1))) "Phi(0) = 0.1: a0 = -0.1";
  Pendulum leaving(u(start = 0.01)) "dPhi(0) = 0.02: a1 = -0.02";
  annotation(experiment(StopTime = 5));
end Drift;
