package Hybrid "Switches, friction and resets with motions in closed form"
  model Sledge "Coulomb friction on flat ice: stops after v^2/(2 mu g) = 4 m"
    parameter Real mu = 0.1, g = 9.81;
    Real x(start = 0, fixed = true), v(start = sqrt(2*0.1*9.81*4), fixed = true);
  equation
    der(x) = v;
    der(v) = -mu*g*sign(v);
    annotation(experiment(StopTime = 10));
  end Sledge;

  model Drag "Friction that grows with v^2: v = v0/(1 + c v0 t)"
    Real v(start = 10, fixed = true);
  equation
    der(v) = -0.2*v*abs(v);
    annotation(experiment(StopTime = 4.5));
  end Drag;

  model Stuck "A block that a growing force frees at F = Fs, of a friction that is lower when it slides"
    import Vincolo.Mechanics.Translational.*;
    MassWithFriction crate(m = 2, Fs = 10, Fc = 6, d = 0);
    Force push;
  equation
    push.u = 5*time;
    connect(push.flange, crate.flange);
    annotation(experiment(StopTime = 4));
  end Stuck;

  model Gear "An engine that speeds up by 100 a second and shifts at 300 to half its speed"
    Real w(start = 0, fixed = true);
    discrete Integer gear(start = 1, fixed = true);
  equation
    der(w) = 100;
    when w > 300 then
      gear = pre(gear) + 1;
      reinit(w, w/2);
    end when;
    annotation(experiment(StopTime = 5));
  end Gear;
end Hybrid;
