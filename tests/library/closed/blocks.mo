package Blocks "Signals against closed forms"
  import Vincolo.Blocks.*;

  model Sources "Each source at every time"
    Constant one(k = 3);
    Step two(height = 2, offset = 1, start = 0.5);
    Ramp three(height = 2, duration = 0.5, start = 0.25, offset = -1);
    Sine four(A = 2, f = 1, phase = 0.2, offset = 0.1);
    Pulse five(A = 2, period = 0.5, width = 0.25);
    Real error[5] = {one.y - 3, two.y - (if time < 0.5 then 1 else 3), three.y - (-1 + 2*max(0, min(1, 2*time - 0.5))),
      four.y - (0.1 + 2*sin(6.28318530717958648*time + 0.2)), five.y - (if mod(time, 0.5) < 0.125 then 2 else 0)};
  end Sources;

  model Linear "Gain, sum, integrator, lag"
    Gain gain(k = 3, u = time);
    Add add(k1 = 2, k2 = -1, u1 = time, u2 = 1);
    Integrator integrator(k = 2, u = time);
    FirstOrder lag(k = 2, T = 0.5, u = 1);
    Real error[4] = {gain.y - 3*time, add.y - (2*time - 1), integrator.y - time^2, lag.y - 2*(1 - exp(-2*time))};
  end Linear;

  model Transfer "(s + 3)/(s^2 + 3 s + 2) to a step: 3/2 - 2 exp(-t) + exp(-2 t)/2; (2 s + 1)/(s + 1) has a direct part"
    TransferFunction one(b = {1, 3}, a = {1, 3, 2}, u = 1), two(b = {2, 1}, a = {1, 1}, u = 1);
    StateSpace three(A = [0, 1; -2, -3], B = [0; 1], C = [3, 1], u = {1});
    Real y = 1.5 - 2*exp(-time) + 0.5*exp(-2*time);
    Real error[3] = {one.y - y, two.y - (1 + exp(-time)), three.y[1] - y};
    annotation(experiment(StopTime = 5));
  end Transfer;

  model Bends "Limiter and dead zone along a ramp"
    Limiter limiter(yMax = 0.5, u = time - 1);
    DeadZone zone(half = 0.5, u = time - 1);
    Real error[2] = {limiter.y - max(-0.5, min(0.5, time - 1)), zone.y - (max(0, time - 1.5) + min(0, time - 0.5))};
    annotation(experiment(StopTime = 2));
  end Bends;

  model Switching "Hysteresis along sin 6 t between +-1/2: true from pi/6 to 7 pi/6 of every period; what it adds up to by t = 2"
    Hysteresis h(low = -0.5, high = 0.5, u = sin(6*time));
    BooleanToReal r(yTrue = 2, yFalse = -1, u = h.y);
    Real area(start = 0, fixed = true), error = if time < 2 then 0 else area - (3.14159265358979324 - 2);
  equation
    der(area) = r.y;
    annotation(experiment(StopTime = 2));
  end Switching;

  model PIStep "PI control of an integrator, k = 2, Ti = 1: critically damped, y = 1 - exp(-t) (cos t - sin t)"
    PID controller(k = 2, Ti = 1, reference = 1, measured = plant.y);
    Integrator plant(u = controller.y);
    Real error = plant.y - (1 - exp(-time)*(cos(time) - sin(time)));
    annotation(experiment(StopTime = 5));
  end PIStep;

  model Derivative "PD action on a ramp: k (e + Td (1 - exp(-Nd t/Td)))"
    PID controller(k = 2, Ti = 0, Td = 0.5, Nd = 10, reference = time, measured = 0);
    Real error = controller.y - 2*(time + 0.5*(1 - exp(-20*time)));
  end Derivative;

  model Windup "Held at its limit with constant error: the integral settles where back-calculation balances it, x/Ti = (yMax/k - e) + Tt e/Ti"
    PID controller(k = 2, Ti = 1, Tt = 0.5, yMax = 1, reference = 3, measured = 0);
    // x' = e + (y - k (e + x/Ti)) Ti/(k Tt) with y = 1: x -> (1/2 - 3) + 1.5, at the rate 1/Tt
    Real x = -1 + exp(-2*time), error;
  equation
    error = controller.unlimited - 2*(3 + x);
    annotation(experiment(StopTime = 3));
  end Windup;
end Blocks;
