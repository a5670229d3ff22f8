model ErrorEquation "z'' + 2 zeta omega z' + omega^2 z = 0: what a stabilised constraint does with its violation"
  function exact "Solution in the three regimes"
    input Real zeta, omega, z0, v0, t;
    output Real z;
  protected
    Real e = omega*sqrt(abs(zeta^2 - 1)), c = v0 + zeta*omega*z0, decay = exp(-zeta*omega*t);
  algorithm
    if zeta > 1 then
      z := decay*(z0*cosh(e*t) + c/e*sinh(e*t));
    elseif zeta < 1 then
      z := decay*(z0*cos(e*t) + c/e*sin(e*t));
    else
      z := decay*(z0 + c*t);
    end if;
  end exact;
  model Decay
    parameter Real zeta = 1, omega = 1, z0 = 1, v0 = 0;
    Real z(start = z0, fixed = true), v(start = v0, fixed = true);
    Real formula = exact(zeta, omega, z0, v0, time);
  equation
    der(z) = v;
    der(v) = -2*zeta*omega*v - omega^2*z;
  end Decay;
  model Frequencies "One damping, several frequencies"
    parameter Real zeta;
    Decay d[3](each zeta = zeta, omega = {1, 2, 4});
    Real omega1 = d[1].z, omega2 = d[2].z, omega4 = d[3].z;
  end Frequencies;
  model Dampings "One frequency, several dampings"
    parameter Real omega;
    Decay d[4](zeta = {0.1, 0.5, 1, 2}, each omega = omega);
    Real zeta01 = d[1].z, zeta05 = d[2].z, zeta1 = d[3].z, zeta2 = d[4].z;
  end Dampings;
  Frequencies zeta1(zeta = 1), zeta05(zeta = 0.5);
  Dampings omega2(omega = 2), omega1(omega = 1);
  Decay one "the case to play with: -p one.zeta=... -p one.omega=...";
  annotation(experiment(StopTime = 5, Tolerance = 1e-11));
end ErrorEquation;
