package NonStiff "The non-stiff test problems: T. E. Hull, W. H. Enright, B. M. Fellen, A. E. Sedgwick, SIAM J. Numer. Anal. 9 (1972) 603-637"
  model A1 "decay"
    Real y(start = 1);
  equation
    der(y) = -y;
    annotation(experiment(StopTime = 20));
  end A1;
  model A2 "a special case of Riccati's equation"
    Real y(start = 1);
  equation
    der(y) = -y^3/2;
    annotation(experiment(StopTime = 20));
  end A2;
  model A3 "an oscillating rate"
    Real y(start = 1);
  equation
    der(y) = y*cos(time);
    annotation(experiment(StopTime = 20));
  end A3;
  model A4 "logistic growth"
    Real y(start = 1);
  equation
    der(y) = y/4*(1 - y/20);
    annotation(experiment(StopTime = 20));
  end A4;
  model A5 "a spiral"
    Real y(start = 4);
  equation
    der(y) = (y - time)/(y + time);
    annotation(experiment(StopTime = 20));
  end A5;

  model B1 "two populations in conflict"
    Real y[2](start = {1, 3});
  equation
    der(y[1]) = 2*(y[1] - y[1]*y[2]);
    der(y[2]) = -(y[2] - y[1]*y[2]);
    annotation(experiment(StopTime = 20));
  end B1;
  model B2 "a linear chemical reaction"
    Real y[3](start = {2, 0, 1});
  equation
    der(y[1]) = -y[1] + y[2];
    der(y[2]) = y[1] - 2*y[2] + y[3];
    der(y[3]) = y[2] - y[3];
    annotation(experiment(StopTime = 20));
  end B2;
  model B3 "a nonlinear chemical reaction"
    Real y[3](start = {1, 0, 0});
  equation
    der(y[1]) = -y[1];
    der(y[2]) = y[1] - y[2]^2;
    der(y[3]) = y[2]^2;
    annotation(experiment(StopTime = 20));
  end B3;
  model B4 "an integral surface of a torus"
    Real y[3](start = {3, 0, 0});
    Real r = sqrt(y[1]^2 + y[2]^2);
  equation
    der(y[1]) = -y[2] - y[1]*y[3]/r;
    der(y[2]) = y[1] - y[2]*y[3]/r;
    der(y[3]) = y[1]/r;
    annotation(experiment(StopTime = 20));
  end B4;
  model B5 "a rigid body without external forces"
    Real y[3](start = {0, 1, 1});
  equation
    der(y[1]) = y[2]*y[3];
    der(y[2]) = -y[1]*y[3];
    der(y[3]) = -0.51*y[1]*y[2];
    annotation(experiment(StopTime = 20));
  end B5;

  model C1 "a chain of radioactive decay"
    constant Integer n = 10;
    Real y[n](start = {if i == 1 then 1 else 0 for i in 1:n});
  equation
    der(y[1]) = -y[1];
    for i in 2:n - 1 loop
      der(y[i]) = y[i - 1] - y[i];
    end for;
    der(y[n]) = y[n - 1];
    annotation(experiment(StopTime = 20));
  end C1;
  model C2 "a chain of decay with rates that grow"
    constant Integer n = 10;
    Real y[n](start = {if i == 1 then 1 else 0 for i in 1:n});
  equation
    der(y[1]) = -y[1];
    for i in 2:n - 1 loop
      der(y[i]) = (i - 1)*y[i - 1] - i*y[i];
    end for;
    der(y[n]) = (n - 1)*y[n - 1];
    annotation(experiment(StopTime = 20));
  end C2;
  model C3 "heat in a rod, 10 points"
    constant Integer n = 10;
    Real y[n](start = {if i == 1 then 1 else 0 for i in 1:n});
  equation
    der(y[1]) = -2*y[1] + y[2];
    for i in 2:n - 1 loop
      der(y[i]) = y[i - 1] - 2*y[i] + y[i + 1];
    end for;
    der(y[n]) = y[n - 1] - 2*y[n];
    annotation(experiment(StopTime = 20));
  end C3;
  model C4 "heat in a rod, 51 points"
    constant Integer n = 51;
    Real y[n](start = {if i == 1 then 1 else 0 for i in 1:n});
  equation
    der(y[1]) = -2*y[1] + y[2];
    for i in 2:n - 1 loop
      der(y[i]) = y[i - 1] - 2*y[i] + y[i + 1];
    end for;
    der(y[n]) = y[n - 1] - 2*y[n];
    annotation(experiment(StopTime = 20));
  end C4;
  model C5 "five outer planets about the sun and the four inner planets"
    constant Real k2 = 2.95912208286, m0 = 1.00000597682;
    constant Real m[5] = {0.000954786104043, 0.000285583733151, 0.0000437273164546, 0.0000517759138449, 0.00000277777777778};
    Real y[3, 5](start = {{3.42947415189, 6.64145542550, 11.2630437207, -30.1552268759, -21.1238353380},
                          {3.35386959711, 5.97156957878, 14.6952576794, 1.65699966404, 28.4465098142},
                          {1.35494901715, 2.18231499728, 6.27960525067, 1.43785752721, 15.3882659679}});
    Real v[3, 5](start = {{-0.557160570446, -0.415570776342, -0.325325669158, -0.0240476254170, -0.176860753121},
                          {0.505696783289, 0.365682722812, 0.189706021964, -0.287659532608, -0.216393453025},
                          {0.230578543901, 0.169143213293, 0.0877265322780, -0.117219543175, -0.0148647893090}});
    Real r3[5] = {(y[1, j]^2 + y[2, j]^2 + y[3, j]^2)^(3/2) for j in 1:5};
    Real d3[5, 5] = {{if j == k then 1 else ((y[1, j] - y[1, k])^2 + (y[2, j] - y[2, k])^2 + (y[3, j] - y[3, k])^2)^(3/2) for k in 1:5} for j in 1:5};
  equation
    der(y) = v;
    for i in 1:3 loop
      for j in 1:5 loop
        der(v[i, j]) = k2*(-(m0 + m[j])*y[i, j]/r3[j]
          + sum(if k == j then 0 else m[k]*((y[i, k] - y[i, j])/d3[j, k] - y[i, k]/r3[k]) for k in 1:5));
      end for;
    end for;
    annotation(experiment(StopTime = 20));
  end C5;

  partial model Orbit "two bodies"
    constant Real e = 0.1;
    Real x[2](start = {1 - e, 0}), v[2](start = {0, sqrt((1 + e)/(1 - e))});
    Real r3 = (x[1]^2 + x[2]^2)^(3/2);
  equation
    der(x) = v;
    der(v) = -x/r3;
  end Orbit;
  model D1 "eccentricity 0.1"
    extends Orbit(e = 0.1);
    annotation(experiment(StopTime = 20));
  end D1;
  model D2 "eccentricity 0.3"
    extends Orbit(e = 0.3);
    annotation(experiment(StopTime = 20));
  end D2;
  model D3 "eccentricity 0.5"
    extends Orbit(e = 0.5);
    annotation(experiment(StopTime = 20));
  end D3;
  model D4 "eccentricity 0.7"
    extends Orbit(e = 0.7);
    annotation(experiment(StopTime = 20));
  end D4;
  model D5 "eccentricity 0.9"
    extends Orbit(e = 0.9);
    annotation(experiment(StopTime = 20));
  end D5;

  model E1 "Bessel's equation of order 1/2, the origin moved"
    Real y[2](start = {0.6713967071418030, 0.09540051444747446});
  equation
    der(y[1]) = y[2];
    der(y[2]) = -(y[2]/(time + 1) + (1 - 0.25/(time + 1)^2)*y[1]);
    annotation(experiment(StopTime = 20));
  end E1;
  model E2 "Van der Pol's equation"
    Real y[2](start = {2, 0});
  equation
    der(y[1]) = y[2];
    der(y[2]) = (1 - y[1]^2)*y[2] - y[1];
    annotation(experiment(StopTime = 20));
  end E2;
  model E3 "Duffing's equation"
    Real y[2](start = {0, 0});
  equation
    der(y[1]) = y[2];
    der(y[2]) = y[1]^3/6 - y[1] + 2*sin(2.78535*time);
    annotation(experiment(StopTime = 20));
  end E3;
  model E4 "a falling body"
    Real y[2](start = {30, 0});
  equation
    der(y[1]) = y[2];
    der(y[2]) = 0.032 - 0.4*y[2]^2;
    annotation(experiment(StopTime = 20));
  end E4;
  model E5 "linear pursuit"
    Real y[2](start = {0, 0});
  equation
    der(y[1]) = y[2];
    der(y[2]) = sqrt(1 + y[2]^2)/(25 - time);
    annotation(experiment(StopTime = 20));
  end E5;
end NonStiff;
