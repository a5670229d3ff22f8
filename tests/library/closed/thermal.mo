package Thermal "Heat and balances against closed forms"
  import Vincolo.Thermal.*;

  model Cooling "Through a conductance to 20 degrees: T = Ta + 60 exp(-G t/C)"
    Capacitance body(C = 100, T(start = 353.15, fixed = true));
    Conductance wall(G = 5);
    FixedTemperature room(T = 293.15);
    Real error = (body.T - (293.15 + 60*exp(-time/20)))/60;
  equation
    connect(body.port, wall.a);
    connect(wall.b, room.port);
    annotation(experiment(StopTime = 50));
  end Cooling;

  model Heating "A heater and convection: T - Ta = P/(h A) (1 - exp(-h A t/C)), the room warms as the signal says"
    Capacitance body(C = 100, T(start = 293.15, fixed = true));
    Convection air(A = 0.5, h = 10);
    SignalTemperature room(u = 293.15);
    HeatSource heater(u = 200);
    Real error = (body.T - 293.15)/40 - (1 - exp(-time/20));
  equation
    connect(heater.port, body.port);
    connect(body.port, air.a);
    connect(air.b, room.port);
    annotation(experiment(StopTime = 50));
  end Heating;

  model Radiating "Into empty space: T^-3 = T0^-3 + 3 eps sigma A t/C"
    Capacitance body(C = 1000, T(start = 1000, fixed = true));
    Radiation glow(eps = 0.8, A = 0.1);
    FixedTemperature space(T = 0);
    Real error = body.T*(1e-9 + 3*0.8*5.670374419e-8*0.1/1000*time)^(1/3) - 1;
  equation
    connect(body.port, glow.a);
    connect(glow.b, space.port);
    annotation(experiment(StopTime = 100));
  end Radiating;

  model Warming "Stirred volume, a warm and a salty stream in, the mixture out: T = 303.15 - 10 exp(-t/5), c = 0.05 (1 - exp(-t/5))"
    Vincolo.Balance.ControlVolume v(n = 3, m = {1, 1, -2}, Tin = {313.15, 293.15, 0}, cin = {0, 0.1, 0}, Q = 0,
      M(start = 10, fixed = true), T(start = 293.15, fixed = true), c(start = 0, fixed = true));
    Real error[3] = {(v.T - 303.15)/10 + exp(-time/5), v.c - 0.05*(1 - exp(-time/5)), v.M - 10};
    annotation(experiment(StopTime = 10));
  end Warming;

  model Mixing "Two streams into a tank that overflows: c = 1/3 (1 - exp(-0.03 t))"
    Vincolo.Balance.MixingTank tank;
    Real error = tank.c - (1 - exp(-0.03*time))/3;
    annotation(experiment(StopTime = 50));
  end Mixing;

  model Outlet "A tank that runs out by its own weight, without inflow: sqrt(h) = 1 - k t/(2 rho A)"
    Vincolo.Balance.TankWithOutlet tank(w = 0);
    Real error = tank.h - (1 - time/400)^2;
    annotation(experiment(StopTime = 100));
  end Outlet;

  model Plate "A jet on a free plate: u = v - v/(1 + rho A v t/M)"
    Vincolo.Balance.Jet jet;
    Real error = jet.u - (20 - 20/(1 + 0.2*time));
    annotation(experiment(StopTime = 10));
  end Plate;
end Thermal;
