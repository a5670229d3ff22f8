model andrews "Andrews' squeezing mechanism: seven bodies, six loop equations, index 3"
  constant Real m[7] = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
  constant Real I[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
  constant Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  constant Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874,
    sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02,
    zt = 0.04, fa = 0.01421;
  constant Real c0 = 4530, l0 = 0.07785, torque = 0.033;
  Real q[7](start = {-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550,
    -0.222668390165885885, 1.23054744454982119}) "angles beta, Theta, gamma, Phi, delta, Omega, epsilon";
  Real v[7](each start = 0) "their rates";
  Real lambda[6] "loop forces";
  Real M[7, 7] "mass matrix";
  Real f[7] "forces and velocity terms";
  Real G[6, 7] "derivative of the constraints";
  Real xd = sd*cos(q[3]) + sc*sin(q[3]) + xb "spring's end";
  Real yd = sd*sin(q[3]) - sc*cos(q[3]) + yb;
  Real len = sqrt((xd - xc)^2 + (yd - yc)^2);
  Real fx = -c0*(len - l0)/len*(xd - xc);
  Real fy = -c0*(len - l0)/len*(yd - yc);
equation
  M = {
    {m[1]*ra^2 + m[2]*(rr^2 - 2*da*rr*cos(q[2]) + da^2) + I[1] + I[2], m[2]*(da^2 - da*rr*cos(q[2])) + I[2], 0, 0, 0, 0, 0},
    {m[2]*(da^2 - da*rr*cos(q[2])) + I[2], m[2]*da^2 + I[2], 0, 0, 0, 0, 0},
    {0, 0, m[3]*(sa^2 + sb^2) + I[3], 0, 0, 0, 0},
    {0, 0, 0, m[4]*(e - ea)^2 + I[4], m[4]*((e - ea)^2 + zt*(e - ea)*sin(q[4])) + I[4], 0, 0},
    {0, 0, 0, m[4]*((e - ea)^2 + zt*(e - ea)*sin(q[4])) + I[4],
      m[4]*(zt^2 + 2*zt*(e - ea)*sin(q[4]) + (e - ea)^2) + m[5]*(ta^2 + tb^2) + I[4] + I[5], 0, 0},
    {0, 0, 0, 0, 0, m[6]*(zf - fa)^2 + I[6], m[6]*((zf - fa)^2 - u*(zf - fa)*sin(q[6])) + I[6]},
    {0, 0, 0, 0, 0, m[6]*((zf - fa)^2 - u*(zf - fa)*sin(q[6])) + I[6],
      m[6]*((zf - fa)^2 - 2*u*(zf - fa)*sin(q[6]) + u^2) + m[7]*(ua^2 + ub^2) + I[6] + I[7]}};
  f = {
    torque - m[2]*da*rr*v[2]*(v[2] + 2*v[1])*sin(q[2]),
    m[2]*da*rr*v[1]^2*sin(q[2]),
    fx*(sc*cos(q[3]) - sd*sin(q[3])) + fy*(sd*cos(q[3]) + sc*sin(q[3])),
    m[4]*zt*(e - ea)*v[5]^2*cos(q[4]),
    -m[4]*zt*(e - ea)*v[4]*(v[4] + 2*v[5])*cos(q[4]),
    -m[6]*u*(zf - fa)*v[7]^2*cos(q[6]),
    m[6]*u*(zf - fa)*v[6]*(v[6] + 2*v[7])*cos(q[6])};
  G = {
    {-rr*sin(q[1]) + d*sin(q[1] + q[2]), d*sin(q[1] + q[2]), -ss*cos(q[3]), 0, 0, 0, 0},
    {rr*cos(q[1]) - d*cos(q[1] + q[2]), -d*cos(q[1] + q[2]), -ss*sin(q[3]), 0, 0, 0, 0},
    {-rr*sin(q[1]) + d*sin(q[1] + q[2]), d*sin(q[1] + q[2]), 0, -e*cos(q[4] + q[5]), -e*cos(q[4] + q[5]) + zt*sin(q[5]), 0, 0},
    {rr*cos(q[1]) - d*cos(q[1] + q[2]), -d*cos(q[1] + q[2]), 0, -e*sin(q[4] + q[5]), -e*sin(q[4] + q[5]) - zt*cos(q[5]), 0, 0},
    {-rr*sin(q[1]) + d*sin(q[1] + q[2]), d*sin(q[1] + q[2]), 0, 0, 0, zf*sin(q[6] + q[7]), zf*sin(q[6] + q[7]) - u*cos(q[7])},
    {rr*cos(q[1]) - d*cos(q[1] + q[2]), -d*cos(q[1] + q[2]), 0, 0, 0, -zf*cos(q[6] + q[7]), -zf*cos(q[6] + q[7]) - u*sin(q[7])}};
  der(q) = v;
  M*der(v) = f - transpose(G)*lambda;
  0 = rr*cos(q[1]) - d*cos(q[1] + q[2]) - ss*sin(q[3]) - xb;
  0 = rr*sin(q[1]) - d*sin(q[1] + q[2]) + ss*cos(q[3]) - yb;
  0 = rr*cos(q[1]) - d*cos(q[1] + q[2]) - e*sin(q[4] + q[5]) - zt*cos(q[5]) - xa;
  0 = rr*sin(q[1]) - d*sin(q[1] + q[2]) + e*cos(q[4] + q[5]) - zt*sin(q[5]) - ya;
  0 = rr*cos(q[1]) - d*cos(q[1] + q[2]) - zf*cos(q[6] + q[7]) - u*sin(q[7]) - xa;
  0 = rr*sin(q[1]) - d*sin(q[1] + q[2]) - zf*sin(q[6] + q[7]) + u*cos(q[7]) - ya;
  annotation(experiment(StopTime = 0.03));
end andrews;
