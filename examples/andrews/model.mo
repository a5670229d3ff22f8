model Andrews "Andrews' squeezer: seven bodies, seven angles, six constraints"
  parameter Real mom = 0.033 "torque on the crank", c0 = 4530, l0 = 0.07785;
  parameter Real A[2] = {-0.06934, -0.00227}, B[2] = {-0.03635, 0.03273}, C[2] = {0.014, 0.072};
  parameter Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
    sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
    ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
  parameter Real m[7] = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
  parameter Real J[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
  Real q[7](start = {-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885,
    0.487364979543842550, -0.222668390165885885, 1.23054744454982119}) "beta, Theta, gamma, Phi, delta, Omega, eps";
  Real lambda[6];
equation
  Vincolo.lagrange(q = q,
    T = 0.5*(
      m[1]*(der(ra*cos(q[1]))^2 + der(ra*sin(q[1]))^2)
    + m[2]*(der(rr*cos(q[1]) - da*cos(q[1] + q[2]))^2 + der(rr*sin(q[1]) - da*sin(q[1] + q[2]))^2)
    + m[3]*(der(sa*sin(q[3]) + sb*cos(q[3]))^2 + der(-sa*cos(q[3]) + sb*sin(q[3]))^2)
    + m[4]*(der(zt*cos(q[5]) + (e - ea)*sin(q[4] + q[5]))^2 + der(zt*sin(q[5]) - (e - ea)*cos(q[4] + q[5]))^2)
    + m[5]*(der(ta*cos(q[5]) - tb*sin(q[5]))^2 + der(ta*sin(q[5]) + tb*cos(q[5]))^2)
    + m[6]*(der(u*sin(q[7]) + (zf - fa)*cos(q[6] + q[7]))^2 + der(-u*cos(q[7]) + (zf - fa)*sin(q[6] + q[7]))^2)
    + m[7]*(der(ua*sin(q[7]) - ub*cos(q[7]))^2 + der(-ua*cos(q[7]) - ub*sin(q[7]))^2)
    + J[1]*der(q[1])^2 + J[2]*(der(q[1]) + der(q[2]))^2 + J[3]*der(q[3])^2 + J[4]*(der(q[4]) + der(q[5]))^2
    + J[5]*der(q[5])^2 + J[6]*(der(q[6]) + der(q[7]))^2 + J[7]*der(q[7])^2),
    V = c0/2*(sqrt((B[1] + sd*cos(q[3]) + sc*sin(q[3]) - C[1])^2 + (B[2] + sd*sin(q[3]) - sc*cos(q[3]) - C[2])^2) - l0)^2,
    Q = {mom, 0, 0, 0, 0, 0, 0},
    Phi = {rr*cos(q[1]) - d*cos(q[1] + q[2]) - ss*sin(q[3]) - B[1],
           rr*sin(q[1]) - d*sin(q[1] + q[2]) + ss*cos(q[3]) - B[2],
           rr*cos(q[1]) - d*cos(q[1] + q[2]) - e*sin(q[4] + q[5]) - zt*cos(q[5]) - A[1],
           rr*sin(q[1]) - d*sin(q[1] + q[2]) + e*cos(q[4] + q[5]) - zt*sin(q[5]) - A[2],
           rr*cos(q[1]) - d*cos(q[1] + q[2]) - zf*cos(q[6] + q[7]) - u*sin(q[7]) - A[1],
           rr*sin(q[1]) - d*sin(q[1] + q[2]) - zf*sin(q[6] + q[7]) + u*cos(q[7]) - A[2]}, lambda = lambda);
  annotation(experiment(StopTime = 0.03), __Vincolo(draw = {
    trace(rr*{cos(q[1]), sin(q[1])} - d*{cos(q[1] + q[2]), sin(q[1] + q[2])}),
    rod({0, 0}, rr*{cos(q[1]), sin(q[1])}),
    rod(rr*{cos(q[1]), sin(q[1])}, rr*{cos(q[1]), sin(q[1])} - d*{cos(q[1] + q[2]), sin(q[1] + q[2])}),
    rod(B, B + ss*{sin(q[3]), -cos(q[3])}),
    rod(B, B + sd*{cos(q[3]), sin(q[3])} + sc*{sin(q[3]), -cos(q[3])}),
    spring(B + sd*{cos(q[3]), sin(q[3])} + sc*{sin(q[3]), -cos(q[3])}, C),
    rod(A, A + zt*{cos(q[5]), sin(q[5])}),
    rod(A + zt*{cos(q[5]), sin(q[5])}, A + zt*{cos(q[5]), sin(q[5])} + e*{sin(q[4] + q[5]), -cos(q[4] + q[5])}),
    rod(A, A + u*{sin(q[7]), -cos(q[7])}),
    rod(A + u*{sin(q[7]), -cos(q[7])}, A + u*{sin(q[7]), -cos(q[7])} + zf*{cos(q[6] + q[7]), sin(q[6] + q[7])})}));
end Andrews;
