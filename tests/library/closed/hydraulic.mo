package Hydraulic "Oil and water against closed forms"
  import Vincolo.Hydraulic.*;
  constant Real g = 9.81, pi = 3.14159265358979324;

  model Draining "Torricelli: sqrt(h) falls linearly, sqrt(h) = 1 - Cd A/A0 sqrt(g/2) t"
    Tank tank(A = 0.1, h(start = 1, fixed = true));
    Orifice hole(A = 1e-3, Cd = 0.7, rho = 1000, laminar = 1e-3);
    Reservoir drain;
    Real error = tank.h - (1 - 0.7e-2*sqrt(g/2)*time)^2;
  equation
    connect(tank.port[1], hole.a);
    connect(hole.b, drain.port);
    annotation(experiment(StopTime = 30));
  end Draining;

  model Laminar "Pressure, laminar resistance, constant flow; both ways"
    PressureSource p(p = 2e5);
    FlowSource q(u = 1e-3);
    Resistance r(R = 1e8), r2(R = 2e8);
    Reservoir t;
    Real error[2] = {r.q/2e-3 - 1, r2.dp/2e5 - 1};
  equation
    connect(p.port, r.a);
    connect(r.b, t.port);
    connect(q.port, r2.a);
    connect(r2.b, t.port);
  end Laminar;

  model StartUp "A pipe opened to constant pressure: q = dp/R (1 - exp(-t R A/(rho L))), R = 128 mu L/(pi D^4)"
    PressureSource p(p = 1e4);
    Pipe pipe(L = 10, D = 0.02, mu = 0.03, q(start = 0, fixed = true));
    Reservoir t;
    parameter Real R = 128*0.03*10/(pi*0.02^4), T = 860*10/(pi*0.01^2)/R;
    Real error = pipe.q/(1e4/R) - (1 - exp(-time/T));
  equation
    connect(p.port, pipe.a);
    connect(pipe.b, t.port);
    annotation(experiment(StopTime = 3));
  end StartUp;

  model Turbulent "Turbulent friction alone: q = q0 tanh(dp A/(rho L) t/q0), q0^2 = 2 dp A^2 D/(f L rho)"
    PressureSource p(p = 1e5);
    Pipe pipe(L = 100, D = 0.1, rho = 1000, mu = 0, f = 0.02, q(start = 0, fixed = true));
    Reservoir t;
    parameter Real A = pi*0.01/4, q0 = sqrt(1e5*2*A^2*0.1/(0.02*100*1000));
    Real error = pipe.q/q0 - tanh(1e5*A/(1000*100)*time/q0);
  equation
    connect(p.port, pipe.a);
    connect(pipe.b, t.port);
    annotation(experiment(StopTime = 20));
  end Turbulent;

  model Charging "A pump fills an accumulator at constant flow: p = p0 (V0/(V0 - q t))^1.4"
    FlowSource q(u = 1e-4);
    Accumulator gas(p0 = 1e6, V0 = 1e-3, V(fixed = true));
    Real error = gas.port.p/(1e6*(1/(1 - 0.1*time))^1.4) - 1;
  equation
    connect(q.port, gas.port);
    annotation(experiment(StopTime = 5));
  end Charging;

  model Compression "Oil pressed into a closed volume: p = beta q t/V"
    FlowSource q(u = 1e-6);
    Volume v(n = 1, V = 1e-3, beta = 1.5e9, p(fixed = true));
    Real error = v.p/1.5e6 - time;
  equation
    connect(q.port, v.port[1]);
  end Compression;

  model Press "Both chambers shut while the piston is moved: p = p0 - beta log(V/V0) in each; force A2 p2 - A1 p1 to move it"
    Cylinder cylinder(A1 = 2e-3, A2 = 1e-3, beta = 1e7, p1(start = 1e5, fixed = true), p2(start = 1e5, fixed = true));
    Vincolo.Mechanics.Translational.Position rod(u = 0.1 + 0.05*sin(time));
    Real x = 0.05*sin(time), p1, p2, error[3];
  equation
    connect(cylinder.flange, rod.flange);
    p1 = 1e5 - 1e7*log((1e-5 + 2e-3*(0.1 + x))/2.1e-4);
    p2 = 1e5 - 1e7*log((1e-5 + 1e-3*(0.1 - x))/1.1e-4);
    error = {cylinder.p1 - p1, cylinder.p2 - p2, 1e3*(cylinder.flange.f - (1e-3*p2 - 2e-3*p1))}/1e7;
    annotation(experiment(StopTime = 5));
  end Press;

  model Valve "Flow through both edges of a servo-valve to an equal load: q = u C sqrt((ps - pt)/2)"
    PressureSource pump(p = 2e6);
    Reservoir tank;
    ServoValve valve(C = 1e-7, leak = 0, laminar = 1, u = time - 0.5);
    Resistance load(R = 1);
    Real error = 0.1*(load.q/(1e-7*1000) - (time - 0.5));
  equation
    connect(pump.port, valve.P);
    connect(tank.port, valve.T);
    connect(valve.A, load.a);
    connect(load.b, valve.B);
  end Valve;

  model Pumping "Displacement D at 100 rad/s against 1 MPa: flow D w, torque D dp"
    Vincolo.Mechanics.Rotational.Speed motor(u = 100);
    Pump pump(D = 1e-6);
    Reservoir tank;
    PressureSource high(p = 1e6);
    Real error[2] = {-pump.b.q/1e-4 - 1, pump.shaft.tau - 1};
  equation
    connect(motor.shaft, pump.shaft);
    connect(tank.port, pump.a);
    connect(pump.b, high.port);
  end Pumping;
end Hydraulic;
