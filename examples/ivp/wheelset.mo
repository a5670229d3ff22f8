model wheelset "Wheelset of a railway car on straight rails: conical wheels, creep forces, index 2"
  constant Real m = 16.08, g = 9.81, V = 30, r0 = 0.1 "nominal radius", I1 = 0.0605, I2 = 0.366, mu = 0.12 "friction";
  constant Real xl = 0.19, cx = 6400, cz = 6400 "springs of the frame";
  constant Real E = 1.3537956, GG = 0.7115218, sigma = 0.28, GM = 7.92e10, C11 = 4.72772197, C22 = 4.27526987, C23 = 1.97203505
    "of the contact (Hertz, Kalker)";
  constant Real delta0 = 0.0262 "of the cone", half = 0.1506 "track", Rs = 0.06 "radius of the rail's head";
  constant Real omega = V/r0, pi = 3.1415926, centre = half + sin(delta0)*Rs;

  model Contact "of one wheel and its rail"
    parameter Real side "-1 left, 1 right";
    input Real p[5], v[5], beta, N "normal force";
    Real psi "angle of the contact point on the wheel", xi(start = side*0.15) "its place across";
    Real r(start = r0), dr "radius of the wheel there, slope of its profile";
    Real xg(start = side*0.15), T0(start = Rs), dg, ddg "place on the rail, slope and bend there";
    Real Q[5] "row of the constraint matrix", T[3] "creep force", torque[3];
    Real delta "angle of the contact plane";
  protected
    Real st = sin(p[4]), ct = cos(p[4]), sp = sin(p[5]), cp = cos(p[5]), ss = sin(psi), cs = cos(psi);
    Real sd = sin(delta), cd = cos(delta), sr = sin(p[4]/cd), cr = cos(p[4]/cd);
    Real size, slip[3], roll, nux, nuy, spin, limit, tx, ty, tx0, ty0, length;
  equation
    // profiles: a cone, a circle
    r = r0 + tan(delta0)*(half - side*xi);
    dr = -side*tan(delta0);
    xg = p[1] + xi*ct*cp + r*(ct*sp*cs - st*ss);
    T0 = sqrt(Rs^2 - (side*xg - centre)^2);
    dg = side*(centre - side*xg)/T0;
    ddg = -Rs^2/T0^3;
    // normals of wheel and rail are parallel
    0 = dg*(dr*sp + cp*cs) + dr*ct*cp - ct*sp*cs + st*ss;
    0 = dr*st*cp - st*sp*cs - ct*ss;
    Q = {dg, -1, 0, dg*(r*(-ct*ss - cs*sp*st) - cp*st*xi), -cs*r*sp - cp*xi + dg*(cp*cs*ct*r - ct*sp*xi)};
    delta = atan(((dr*cp - sp*cs)*ct + ss*st)/(side*(dr*sp + cs*cp)));
    // creepage: slip over the mean speed of rolling
    size = (3*abs(N)*(1 - sigma)*E/(2*pi*(0.5/(r*sqrt(1 + dr^2)) + 0.5*(-ddg/(1 + dg^2)^1.5))*GM*sqrt(GG)))^(1/3);
    slip = {-(omega + beta)*r*(sr*cs + cr*sp*ss) + v[1] - v[4]*(r*(sr*sp*cs + cr*ss) + xi*sr*cp) - v[5]*cr*(xi*sp - r*cp*cs),
      (omega + beta)*r*cp*ss + v[2] + v[5]*(xi*cp + r*sp*cs),
      -(omega + beta)*r*(cr*cs - sr*sp*ss) + V + v[3] - v[4]*(xi*cr*cp + r*(cr*sp*cs - sr*ss)) + v[5]*sr*(xi*sp - r*cp*cs)};
    roll = 0.5*sqrt((slip[1] - 2*v[1])^2 + (slip[2] - 2*v[2])^2 + (slip[3] - 2*v[3] - 2*V)^2);
    nux = (sr*slip[1] + cr*slip[3])/roll;
    nuy = (cr*cd*slip[1] - side*sd*slip[2] - sr*cd*slip[3])/roll;
    spin = (side*sd*(omega + beta) + cd*v[4])/roll;
    limit = mu*N;
    tx0 = -limit*tanh(GM*size^2*C11*nux/limit);
    ty0 = -limit*tanh(GM*size^2*C22*nuy/limit + GM*size^3*C23*spin/limit);
    length = sqrt(tx0^2 + ty0^2);
    tx = if noEvent(length > abs(limit)) then tx0*abs(limit)/length else tx0;
    ty = if noEvent(length > abs(limit)) then ty0*abs(limit)/length else ty0;
    T = {sr*tx + cr*cd*ty, -side*sd*ty, cr*tx - sr*cd*ty};
    torque = {-(xi*st + r*ss*ct*cp)*T[1] - r*ss*sp*T[2] + (-xi*ct + r*ss*st*cp)*T[3],
      -(xi*ct*sp - r*cs*ct*cp)*T[1] + (xi*cp + r*cs*sp)*T[2] + (xi*st*sp - r*cs*st*cp)*T[3],
      -r*(cs*st + ss*ct*sp)*T[1] + r*ss*cp*T[2] - r*(cs*ct - ss*st*sp)*T[3]};
  end Contact;

  Real p[5](start = {0.14941e-2, 0.40089e-6, 0.11241e-5, -0.28573e-3, 0.26459e-3}) "x, y, z, yaw, roll";
  Real v[5](each start = 0);
  Real beta(start = 0) "deviation of the spin from omega";
  Real lambda[2](start = {-8.3593e-3, -7.4144e-3}) "contact forces / 10^4";
  Contact left(side = -1, p = p, v = v, beta = beta, N = Nl, psi(start = -7.4122380357667139e-6), xi(start = -0.1521364296121248));
  Contact right(side = 1, p = p, v = v, beta = beta, N = Nr, psi(start = 7.5634406395172940e-6), xi(start = 0.1490635714733819));
  Real Nl(start = 80), Nr(start = 80) "normal forces";
  Real F[5] = 1e4*(left.Q*lambda[1] + right.Q*lambda[2]) "of the contacts, along the coordinates";
protected
  Real sl = sin(left.delta), cl = cos(left.delta), sr = sin(right.delta), cr = cos(right.delta), det = -sl*cr - sr*cl;
  Real ct = cos(p[4]), st = sin(p[4]), sp = sin(p[5]), cp = cos(p[5]);
equation
  Nl = (cr*F[1] - sr*F[2])/det;
  Nr = -(cl*F[1] + sl*F[2])/det;
  der(p) = v;
  m*der(v[1]) = left.T[1] + right.T[1] + F[1] - 2*cx*p[1];
  m*der(v[2]) = left.T[2] + right.T[2] + F[2] - m*g;
  m*der(v[3]) = left.T[3] + right.T[3] + F[3] - 2*cz*p[3];
  I2*cp*der(v[4]) = I2*v[4]*v[5]*sp - I1*(omega + beta)*v[5] - (I1 - I2)*v[4]*sp*v[5] + left.torque[1] + right.torque[1]
    - cp*2*xl^2*cz*p[4] + F[4];
  I2*der(v[5]) = I1*(omega + beta)*v[4]*cp + (I1 - I2)*v[4]^2*sp*cp + left.torque[2] + right.torque[2] + F[5];
  I1*(sp*der(v[4]) + der(beta)) = -I1*v[4]*v[5]*cp + left.torque[3] + right.torque[3] - sp*2*xl^2*cz*p[4];
  left.Q*v = 0;
  right.Q*v = 0;
  annotation(experiment(StopTime = 10));
end wheelset;
