model Sampled "A motor whose speed is sampled, under a controller with two rates"
  parameter Real J = 0.2 "inertia, kg.m2";
  parameter Real d = 0.1 "friction, N.m.s/rad";
  parameter Real Ti = 0.5 "integral time of the speed controller, s";
  Real phi(start = 0, fixed = true) "angle, rad";
  Real w(start = 0, fixed = true) "speed, rad/s";
  Real tau "torque, held between ticks, N.m";
  Clock fast = Clock(1, 50) "speed loop: every 20 ms, exactly";
  Clock slow = subSample(fast, 5) "position loop: every 100 ms";
  Real ws = sample(w, fast), e, i(start = 0), u;
  Real ps = sample(phi, slow), wanted;
equation
  der(phi) = w;
  J*der(w) = tau - d*w;
  // position: proportional, at the slow rate
  wanted = 2*(1 - ps);
  // speed: proportional and integral, at the fast rate
  e = superSample(wanted, 5) - ws;
  i = previous(i) + interval(i)/Ti*e;
  u = e + i;
  tau = hold(u);
  annotation(experiment(StopTime = 4));
end Sampled;
