package Stiff "The stiff test problems: W. H. Enright, T. E. Hull, B. Lindberg, BIT 15 (1975) 10-48; W. H. Enright, J. D. Pryce, ACM Trans. Math. Softw. 13 (1987) 1-27"
  model A1 "linear, real eigenvalues"
    Real y[4](each start = 1);
  equation
    der(y) = {-0.5*y[1], -y[2], -100*y[3], -90*y[4]};
    annotation(experiment(StopTime = 20));
  end A1;
  model A2 "linear, real eigenvalues: a diffusion"
    Real y[9](each start = 0);
  equation
    der(y[1]) = -1800*y[1] + 900*y[2];
    for i in 2:8 loop
      der(y[i]) = y[i - 1] - 2*y[i] + y[i + 1];
    end for;
    der(y[9]) = 1000*y[8] - 2000*y[9] + 1000;
    annotation(experiment(StopTime = 120));
  end A2;
  model A3 "linear, real eigenvalues, not normal"
    Real y[4](each start = 1);
  equation
    der(y[1]) = -1e4*y[1] + 100*y[2] - 10*y[3] + y[4];
    der(y[2]) = -1e3*y[2] + 10*y[3] - 10*y[4];
    der(y[3]) = -y[3] + 10*y[4];
    der(y[4]) = -0.1*y[4];
    annotation(experiment(StopTime = 20));
  end A3;
  model A4 "linear, eigenvalues -i^5"
    Real y[10](each start = 1);
  equation
    for i in 1:10 loop
      der(y[i]) = -i^5*y[i];
    end for;
    annotation(experiment(StopTime = 1));
  end A4;

  model B1 "linear, complex eigenvalues"
    Real y[4](start = {1, 0, 1, 0});
  equation
    der(y[1]) = -y[1] + y[2];
    der(y[2]) = -100*y[1] - y[2];
    der(y[3]) = -100*y[3] + y[4];
    der(y[4]) = -10000*y[3] - 100*y[4];
    annotation(experiment(StopTime = 20));
  end B1;
  partial model Spiral "linear, eigenvalues -10 +- i alpha"
    constant Real alpha = 3;
    Real y[6](each start = 1);
  equation
    der(y[1]) = -10*y[1] + alpha*y[2];
    der(y[2]) = -alpha*y[1] - 10*y[2];
    der(y[3]) = -4*y[3];
    der(y[4]) = -y[4];
    der(y[5]) = -0.5*y[5];
    der(y[6]) = -0.1*y[6];
  end Spiral;
  model B2
    extends Spiral(alpha = 3);
    annotation(experiment(StopTime = 20));
  end B2;
  model B3
    extends Spiral(alpha = 8);
    annotation(experiment(StopTime = 20));
  end B3;
  model B4
    extends Spiral(alpha = 25);
    annotation(experiment(StopTime = 20));
  end B4;
  model B5
    extends Spiral(alpha = 100);
    annotation(experiment(StopTime = 20));
  end B5;

  model C1 "nonlinear coupling from the stiff to the slow"
    Real y[4](each start = 1);
  equation
    der(y[1]) = -y[1] + y[2]^2 + y[3]^2 + y[4]^2;
    der(y[2]) = -10*y[2] + 10*(y[3]^2 + y[4]^2);
    der(y[3]) = -40*y[3] + 40*y[4]^2;
    der(y[4]) = -100*y[4] + 2;
    annotation(experiment(StopTime = 20));
  end C1;
  partial model Coupled "nonlinear coupling from the slow to the stiff"
    constant Real beta = 0.1;
    Real y[4](each start = 1);
  equation
    der(y[1]) = -y[1] + 2;
    der(y[2]) = -10*y[2] + beta*y[1]^2;
    der(y[3]) = -40*y[3] + 4*beta*(y[1]^2 + y[2]^2);
    der(y[4]) = -100*y[4] + 10*beta*(y[1]^2 + y[2]^2 + y[3]^2);
  end Coupled;
  model C2
    extends Coupled(beta = 0.1);
    annotation(experiment(StopTime = 20));
  end C2;
  model C3
    extends Coupled(beta = 1);
    annotation(experiment(StopTime = 20));
  end C3;
  model C4
    extends Coupled(beta = 10);
    annotation(experiment(StopTime = 20));
  end C4;
  model C5
    extends Coupled(beta = 20);
    annotation(experiment(StopTime = 20));
  end C5;

  model D1 "a nuclear reactor"
    Real y[3](each start = 0);
  equation
    der(y[1]) = 0.2*(y[2] - y[1]);
    der(y[2]) = 10*y[1] - (60 - 0.125*y[3])*y[2] + 0.125*y[3];
    der(y[3]) = 1;
    annotation(experiment(StopTime = 400));
  end D1;
  model D2 "Robertson's reaction, scaled"
    Real y[3](start = {1, 0, 0});
  equation
    der(y[1]) = -0.04*y[1] + 0.01*y[2]*y[3];
    der(y[2]) = 400*y[1] - 100*y[2]*y[3] - 3000*y[2]^2;
    der(y[3]) = 30*y[2]^2;
    annotation(experiment(StopTime = 40));
  end D2;
  model D3 "a chemical reaction"
    Real y[4](start = {1, 1, 0, 0});
  equation
    der(y[1]) = y[3] - 100*y[1]*y[2];
    der(y[2]) = y[3] + 2*y[4] - 100*y[1]*y[2] - 2e4*y[2]^2;
    der(y[3]) = -y[3] + 100*y[1]*y[2];
    der(y[4]) = -y[4] + 1e4*y[2]^2;
    annotation(experiment(StopTime = 20));
  end D3;
  model D4 "a chemical reaction"
    Real y[3](start = {1, 1, 0});
  equation
    der(y[1]) = -0.013*y[1] - 1000*y[1]*y[3];
    der(y[2]) = -2500*y[2]*y[3];
    der(y[3]) = -0.013*y[1] - 1000*y[1]*y[3] - 2500*y[2]*y[3];
    annotation(experiment(StopTime = 50));
  end D4;
  model D5 "a reactor"
    Real y[2](each start = 0);
  equation
    der(y[1]) = 0.01 - (1 + (y[1] + 1000)*(y[1] + 1))*(0.01 + y[1] + y[2]);
    der(y[2]) = 0.01 - (1 + y[2]^2)*(0.01 + y[1] + y[2]);
    annotation(experiment(StopTime = 100));
  end D5;
  model D6 "a chemical reaction"
    Real y[3](start = {1, 0, 0});
  equation
    der(y[1]) = -y[1] + 1e8*y[3]*(1 - y[1]);
    der(y[2]) = -10*y[2] + 3e7*y[3]*(1 - y[2]);
    der(y[3]) = -(-y[1] + 1e8*y[3]*(1 - y[1])) - (-10*y[2] + 3e7*y[3]*(1 - y[2]));
    annotation(experiment(StopTime = 1));
  end D6;

  model E1 "control theory"
    constant Real g = 100;
    Real y[4](each start = 0);
  equation
    der(y[1]) = y[2];
    der(y[2]) = y[3];
    der(y[3]) = y[4];
    der(y[4]) = (y[1]^2 - sin(y[1]) - g^4)*y[1] + (y[2]*y[3]/(y[1]^2 + 1) - 4*g^3)*y[2] + (1 - 6*g^2)*y[3]
      + (10*exp(-y[4]^2) - 4*g)*y[4] + 1;
    annotation(experiment(StopTime = 1));
  end E1;
  model E2 "Van der Pol's equation"
    Real y[2](start = {2, 0});
  equation
    der(y[1]) = y[2];
    der(y[2]) = 5*(1 - y[1]^2)*y[2] - y[1];
    annotation(experiment(StopTime = 1));
  end E2;
  model E3 "a reactor"
    Real y[3](start = {1, 1, 0});
  equation
    der(y[1]) = -(55 + y[3])*y[1] + 65*y[2];
    der(y[2]) = 0.0785*(y[1] - y[2]);
    der(y[3]) = 0.1*y[1];
    annotation(experiment(StopTime = 500));
  end E3;
  model E4 "Krogh's problem"
    constant Real U[4, 4] = 0.5*[-1, 1, 1, 1; 1, -1, 1, 1; 1, 1, -1, 1; 1, 1, 1, -1];
    constant Real B[4, 4] = [-10, -10, 0, 0; 10, -10, 0, 0; 0, 0, 1000, 0; 0, 0, 0, 0.01];
    Real y[4](start = {0, -2, -1, -1});
    Real z[4] = U*y;
    Real w[4] = {(z[1]^2 - z[2]^2)/2, z[1]*z[2], z[3]^2, z[4]^2} - B*z;
  equation
    der(y) = U*w;
    annotation(experiment(StopTime = 1000));
  end E4;
  model E5 "a chemical reaction of tiny concentrations"
    Real y[4](start = {1.76e-3, 0, 0, 0}, nominal = {1e-3, 1e-10, 1e-12, 1e-10});
  equation
    der(y[1]) = -7.89e-10*y[1] - 1.1e7*y[1]*y[3];
    der(y[2]) = 7.89e-10*y[1] - 1.13e9*y[2]*y[3];
    der(y[3]) = 7.89e-10*y[1] - 1.1e7*y[1]*y[3] + 1.13e3*y[4] - 1.13e9*y[2]*y[3];
    der(y[4]) = 1.1e7*y[1]*y[3] - 1.13e3*y[4];
    annotation(experiment(StopTime = 1000));
  end E5;

  model F1 "a fluidised bed"
    Real y[4](start = {761, 0, 600, 0.1}, nominal = {1e3, 0.1, 1e3, 0.1});
    Real k = exp(20.7 - 1500/y[1]);
  equation
    der(y[1]) = 1.3*(y[3] - y[1]) + 10400*k*y[2];
    der(y[2]) = 1880*(y[4] - y[2]*(1 + k));
    der(y[3]) = 1752 - 269*y[3] + 267*y[1];
    der(y[4]) = 0.1 + 320*y[2] - 321*y[4];
    annotation(experiment(StopTime = 1000));
  end F1;
  model F2 "a chemical reaction"
    Real y[2](start = {1, 0});
  equation
    der(y[1]) = -y[1] - y[1]*y[2] + 294*y[2];
    der(y[2]) = y[1]*(1 - y[2])/98 - 3*y[2];
    annotation(experiment(StopTime = 240));
  end F2;
  model F3 "enzymes"
    Real y[5](start = {4e-6, 1e-6, 0, 0, 0}, each nominal = 1e-6);
  equation
    der(y[1]) = -1e7*y[2]*y[1] + 10*y[3];
    der(y[2]) = -1e7*y[2]*y[1] - 1e7*y[2]*y[5] + 10*y[3] + 10*y[4];
    der(y[3]) = 1e7*y[2]*y[1] - 1.001e4*y[3] + 1e-3*y[4];
    der(y[4]) = 1e4*y[3] - 10.001*y[4] + 1e7*y[2]*y[5];
    der(y[5]) = 10*y[4] - 1e7*y[2]*y[5];
    annotation(experiment(StopTime = 100));
  end F3;
  model F4 "the Belousov-Zhabotinskii reaction"
    Real y[3](start = {4, 1.1, 4});
  equation
    der(y[1]) = 77.27*(y[2] - y[1]*y[2] + y[1] - 8.375e-6*y[1]^2);
    der(y[2]) = (-y[2] - y[1]*y[2] + y[3])/77.27;
    der(y[3]) = 0.161*(y[1] - y[3]);
    annotation(experiment(StopTime = 300));
  end F4;
  model F5 "a chemical reaction"
    Real y[4](start = {3.365e-7, 8.261e-3, 1.642e-3, 9.380e-6}, nominal = {1e-7, 1e-3, 1e-3, 1e-6});
  equation
    der(y[1]) = 1e11*(-3*y[1]*y[2] + 0.0012*y[4] - 9*y[1]*y[3]);
    der(y[2]) = -3e11*y[1]*y[2] + 2e7*y[4];
    der(y[3]) = 1e11*(-9*y[1]*y[3] + 0.001*y[4]);
    der(y[4]) = 1e11*(3*y[1]*y[2] - 0.0012*y[4] + 9*y[1]*y[3]);
    annotation(experiment(StopTime = 100));
  end F5;
end Stiff;
