model crank "Slider-crank with a rod that bends and stretches, at constant speed, constraints on velocities: index 2"
  constant Real pi = 3.1415927;
  constant Real m1 = 0.36, m2 = 0.151104, m3 = 0.075552, L1 = 0.15, L2 = 0.30, J1 = 0.002727, J2 = 0.0045339259;
  constant Real E = 0.20e12, rho = 7870, width = 0.008, height = 0.008, Omega = 150;
  constant Real V = width*height*L2 "volume of the rod";
  constant Real EA = E*width*height/L2;
  // two sines across, two quadratic shape functions along the rod
  constant Real Mq[4, 4] = rho*V*[0.5, 0, 0, 0; 0, 0.5, 0, 0; 0, 0, 8, 1; 0, 0, 1, 2];
  constant Real Kq[4, 4] = EA*[pi^4/24*(height/L2)^2, 0, 0, 0; 0, pi^4*2/3*(height/L2)^2, 0, 0; 0, 0, 16/3, -8/3; 0, 0, -8/3, 7/3];
  constant Real Bq[4, 4] = V*[0, 0, -16/pi^3, 8/pi^3 - 1/pi; 0, 0, 0, 0.5/pi; 16/pi^3, 0, 0, 0; -(8/pi^3 - 1/pi), -0.5/pi, 0, 0];
  constant Real c1[4] = V*{0, 0, 2/3, 1/6};
  constant Real c2[4] = V*{2/pi, 0, 0, 0};
  constant Real c12[4] = L2*V*{0, 0, 1/3, 1/6};
  constant Real c21[4] = L2*V*{1/pi, -0.5/pi, 0, 0};

  Real p[7](start = {0, 0, 0.450016933, 0, 0, 0.103339863e-4, 0.169327969e-4})
    "angles of crank and rod, place of the slider, four amplitudes of the rod";
  Real v[7](start = {150, -74.9957670, -0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5});
  Real w[7] "accelerations";
  Real lambda[3] "forces: two in the slider's joint, the torque of the drive";
protected
  Real q[4] = p[4:7], r[4] = v[4:7];
  Real s1 = sin(p[1]), k1 = cos(p[1]), s2 = sin(p[2]), k2 = cos(p[2]);
  Real s12 = sin(p[1] - p[2]), k12 = cos(p[1] - p[2]);
  Real a = L1*(L2*m2/2*k12 + rho*(s12*(c2*q) + k12*(c1*q))) "inertia that couples crank and rod";
  Real M[7, 7] "mass matrix";
  Real f[7] "forces";
  Real G[3, 7] "matrix of the constraints";
equation
  M[1:3, 1:3] = [J1 + m2*L1^2, a, 0; a, J2 + q*(Mq*q) + 2*rho*(c12*q), 0; 0, 0, m3];
  M[1, 4:7] = rho*L1*(-s12*c1 + k12*c2);
  M[2, 4:7] = rho*(c21 + transpose(Bq)*q);
  M[3, 4:7] = zeros(4);
  M[4:7, 1:3] = transpose(M[1:3, 4:7]);
  M[4:7, 4:7] = Mq;
  f[1] = L1*v[2]^2*(-L2*m2/2*s12 + rho*(-s12*(c1*q) + k12*(c2*q))) - 2*rho*L1*v[2]*(k12*(c1*r) + s12*(c2*r));
  f[2] = L1*v[1]^2*(L2*m2/2*s12 + rho*(s12*(c1*q) - k12*(c2*q))) - 2*rho*v[2]*(c12*r) - 2*v[2]*(r*(Mq*q)) - rho*(r*(Bq*r));
  f[3] = 0;
  f[4:7] = v[2]^2*(Mq*q) + rho*(v[2]^2*c12 + L1*v[1]^2*(k12*c1 + s12*c2) + 2*v[2]*(Bq*r)) - Kq*q;
  G = [L1*k1, (L2 + q[4])*k2, 0, 0, 0, 0, s2; L1*s1, (L2 + q[4])*s2, 1, 0, 0, 0, -k2; 1, 0, 0, 0, 0, 0, 0];
  der(p) = v;
  der(v) = w;
  M*w = f - transpose(G)*lambda;
  G*v = {0, 0, Omega};
  annotation(experiment(StopTime = 0.1));
end crank;
