package Rotations "Functions of Vincolo.Rotations against formulas, published numbers and each other"
  import R = Vincolo.Rotations;

  model Matrices "Products, the two readings, the vector of a skew matrix"
    parameter Real a[3] = {1, -2, 0.5}, b[3] = {0.3, 0.7, -1}, n[3] = R.unit({1, 2, 2});
    Real A[3, 3] = R.fromAxisAngle(n, time), e[2, 3] = R.perpendicular(a), x[3] = A*b;
    Real Z[3, 3] = R.about(3, time), error[8];
  equation
    error[1] = max(abs(R.skew(a)*b - cross(a, b)));
    error[2] = max(abs(R.axial(R.skew(a)) - a)) + max(abs(n - {1, 2, 2}/3));
    error[3] = abs(e[1, :]*a) + abs(e[2, :]*a) + abs(e[1, :]*e[2, :]) + max(abs(cross(e[1, :], e[2, :]) - R.unit(a)));
    error[4] = max(abs(R.planar(time) - Z[1:2, 1:2]));
    error[5] = max(abs(A*transpose(A) - identity(3)));
    // as a motion it turns b about n (Rodrigues); as a change of coordinates its transpose brings b back
    error[6] = max(abs(x - (b*cos(time) + cross(n, b)*sin(time) + n*(n*b)*(1 - cos(time)))));
    error[7] = max(abs(transpose(A)*x - b));
    error[8] = max(abs(R.angularVelocity(A, der(A)) - n));
    annotation(experiment(StopTime = 2));
  end Matrices;

  model Euler "All twelve sequences: there and back, rates against R' R, lock where det E = 0"
    constant Integer sequence[12, 3] = [1, 2, 3; 1, 3, 2; 2, 1, 3; 2, 3, 1; 3, 1, 2; 3, 2, 1; 1, 2, 1; 1, 3, 1; 2, 1, 2; 2, 3, 2; 3, 1, 3; 3, 2, 3];
    Real a[3] = {0.3 + 0.2*sin(time), 0.7 + 0.2*time, -0.4*cos(2*time)};
    Real A[12, 3, 3], back[12], rate[12], lock[12], locked[12], half[12], error[5];
  equation
    for i in 1:12 loop
      A[i, :, :] = R.fromEuler(sequence[i, :], a);
      back[i] = max(abs(R.toEuler(sequence[i, :], A[i, :, :]) - a));
      rate[i] = max(abs(R.axial(transpose(A[i, :, :])*der(A[i, :, :])) - R.angularVelocityEuler(sequence[i, :], a, der(a))));
      // det E is +-cos a2 for three axes, +-sin a2 for two: 0 at a2 = pi/2 and at a2 = 0
      lock[i] = abs(R.gimbal(sequence[i, :], a)) - (if i <= 6 then cos(a[2]) else sin(a[2]));
      // at the lock the matrix depends on one combination of a1 and a3 only, and the angles that come back give it
      locked[i] = R.gimbal(sequence[i, :], {a[1], if i <= 6 then R.pi/2 else 0, a[3]});
      half[i] = max(abs(R.fromEuler(sequence[i, :], R.toEuler(sequence[i, :], R.fromEuler(sequence[i, :],
        {0.3, if i <= 6 then R.pi/2 else 0, 0.4}))) - R.fromEuler(sequence[i, :], {0.3, if i <= 6 then R.pi/2 else 0, 0.4})));
    end for;
    error = {max(back), max(rate), max(abs(lock)), max(abs(locked)), max(half)};
    annotation(experiment(StopTime = 2));
  end Euler;

  model Conversions "Axis and angle, quaternions: there and back, products, angular velocities"
    parameter Real n[3] = {2, 3, 6}/7;
    Real q[4] = R.quaternion(n, sin(time)), p[4] = R.quaternion({1, 2, 2}/3, time), m[3], phi;
    Real d[3] = {cos(time), sin(time), 0} "an axis that turns", D[3, 3] = R.fromAxisAngle(d, time), error[7];
  equation
    (m, phi) = R.toAxisAngle(R.fromAxisAngle(n, 0.5 + time));
    error[1] = max(abs(m - n)) + abs(phi - 0.5 - time);
    error[2] = max(abs(R.toQuaternion(R.fromQuaternion(p)) - p));
    error[3] = max(abs(R.fromQuaternion(R.multiply(p, q)) - R.fromQuaternion(p)*R.fromQuaternion(q)));
    error[4] = max(abs(R.angularVelocityQuaternion(q, der(q)) - n*cos(time)));
    error[5] = max(abs(R.rates(q)*transpose(R.rates(q)) - identity(3))) + max(abs(R.rates(q)*q));
    error[6] = max(abs(R.angularVelocityAxisAngle(d, time, der(d), 1) - R.angularVelocity(D, der(D))));
    error[7] = R.turn(2, R.about(2, 1 - time)) - (1 - time);
    annotation(experiment(StopTime = 2));
  end Conversions;

  model Published "Worked numbers: rotations about (1, 2, 2)/3 and (0, 0.6, -0.8), angles 0.1, 0.2, 0.3, a homogeneous transformation"
    Real A[3, 3] = R.fromAxisAngle({1, 2, 2}/3, R.pi/3), q[4] = R.quaternion({1, 2, 2}/3, R.pi/3);
    Real B[3, 3] = R.fromAxisAngle({0, 0.6, -0.8}, 1);
    Real xyz[3, 3] = R.fromEuler({1, 2, 3}, {0.1, 0.2, 0.3}), zyx[3, 3] = R.fromEuler({3, 2, 1}, {0.3, 0.2, 0.1});
    Real M[3, 3] = xyz*R.eulerRates({1, 2, 3}, {0.1, 0.2, 0.3}) "world angular velocity from rates of angles";
    Real H[4, 4] = R.homogeneous(R.about(3, R.pi/6), {1, 2, 3}), moved[3] = R.transform(H, {4, 5, 6}), back[4, 4] = R.inverse(H);
    Real error[6];
  equation
    error[1] = abs(A[1, 2] + 0.46623915807851) + abs(A[2, 3] + 0.066452912372591) + abs(q[1] - 0.86602540378444) + abs(q[3] - 1/3);
    error[2] = B[1, 3] - 0.50488259088474;
    error[3] = abs(xyz[2, 1] - 0.31299182578547) + abs(xyz[3, 2] - 0.15379199798896) + abs(zyx[1, 3] - 0.21835066314633);
    error[4] = abs(M[1, 3] - 0.19866933079506) + abs(M[2, 3] + 0.097843395007256) + abs(M[3, 2] - 0.099833416646828)
      + abs(R.gimbal({1, 2, 3}, {0.1, 0.2, 0.3}) - 0.98006657784124);
    error[5] = max(abs(R.fromEuler({1, 2, 3}, {0.3, R.pi/2, 0.4}) - R.fromEuler({1, 2, 3}, {0.7, R.pi/2, 0})));
    error[6] = abs(moved[1] - 1.9641016151378) + abs(moved[2] - 8.3301270189222) + abs(back[1, 4] + 1.8660254037844) + max(abs(H*back - identity(4)));
  end Published;

  model Frames "A vector and a point in a moving frame, against derivatives: Euler, centripetal and Coriolis terms"
    Real q[4] = R.quaternion({2, 3, 6}/7, sin(time)), A[3, 3] = R.fromQuaternion(q);
    Real o[3] = {time, time^2, sin(time)}, s[3] = {cos(time), 1, time}, turning[3] = A*s;
    Real w[3], x[3], v[3], acceleration[3], error[3];
  equation
    w = A*R.angularVelocityQuaternion(q, der(q));
    x = o + A*s;
    v = der(x);
    acceleration = der(v);
    error[1] = max(abs(R.derivative(turning, A*der(s), w) - der(turning)));
    error[2] = max(abs(R.pointVelocity(der(o), w, A*s, A*der(s)) - v));
    error[3] = max(abs(R.pointAcceleration({0, 2, -sin(time)}, w, der(w), A*s, A*der(s), A*{-cos(time), 0, 0}) - acceleration));
  end Frames;

  model Dynamics "Force and torque of a given motion, and the power they do: the rate of the kinetic energy"
    parameter Real m = 2, J[3, 3] = diagonal({1, 2, 3});
    Real v[3] = {time, 1, sin(time)}, w[3] = {1, time, cos(time)}, f[3], t[3], T, error;
  equation
    (f, t) = R.newtonEuler(m, J, der(v), w, der(w));
    T = R.kineticEnergy(m, J, v, w);
    error = der(T) - (f*v + t*w);
  end Dynamics;

  function wedge "Density 1000 (1 + x)"
    extends R.Density;
  algorithm
    rho := 1000*(1 + x[1]);
  end wedge;

  function ball "Density 1 within the unit sphere"
    extends R.Density;
  algorithm
    rho := if x*x < 1 then 1 else 0;
  end ball;

  function pipe "Density 1 within the unit cylinder along z"
    extends R.Density;
  algorithm
    rho := if x[1]^2 + x[2]^2 < 1 then 1 else 0;
  end pipe;

  model Solids "Mass, centre and inertia by integration against formulas; the parallel-axis theorem"
    parameter R.Solid w = R.integrate(function wedge(), {0, 0, 0}, {1, 2, 3}, 2);
    parameter R.Solid s = R.integrate(function ball(), {-1, -1, -1}, {1, 1, 1}, 8);
    parameter R.Solid c = R.integrate(function pipe(), {-1, -1, -2}, {1, 1, 2}, 8);
    parameter Real K[3, 3] = R.parallelAxis(R.box(6000, {1, 2, 3}), 6000, {0.5, 1, 1.5}) "of a block about its corner";
    Real error[7];
  equation
    // mass 1000 (1 + 1/2) 6, centre (1/2 + 1/3)/(3/2) = 5/9
    error[1] = w.m/9000 - 1 + w.c[1] - 5/9;
    // about a corner: m/3 (b^2 + c^2), and -m/4 a b beside the diagonal
    error[2] = R.aboutAxis(K, {1, 0, 0})/26000 - 1 + K[1, 2]/3000 + 1;
    // across x the density is uniform: box, with the mass of the wedge
    error[3] = w.J[1, 1]/R.aboutAxis(R.box(9000, {1, 2, 3}), {1, 0, 0}) - 1;
    // surfaces are cut by the cells: less than a part in a hundred
    error[4] = 1e-3*(s.J[1, 1]/R.aboutAxis(R.sphere(s.m, 1), {1, 0, 0}) - 1);
    error[5] = 1e-3*(s.m/(4/3*R.pi) - 1);
    error[6] = 5e-4*(c.J[1, 1]/R.aboutAxis(R.cylinder(c.m, 1, 4), {1, 0, 0}) - 1 + c.J[3, 3]/R.aboutAxis(R.cylinder(c.m, 1, 4), {0, 0, 1}) - 1);
    error[7] = max(abs(R.rod(3, 2) - diagonal({0, 1, 1})));
  end Solids;

  model FreeTop "Newton-Euler without load, J = diag(1, 2, 3), from w = (1, 0.5, 0.2): energy and angular momentum stay"
    import Vincolo.Mechanics.Spatial.*;
    inner World world(g = zeros(3));
    Body top(m = 1, J = diagonal({1, 2, 3}), r(each fixed = true), v(each fixed = true), p(each fixed = true),
      w(start = {1, 0.5, 0.2}, each fixed = true));
    Real L[3] = R.fromQuaternion(top.p)*(diagonal({1, 2, 3})*top.w);
    Real error[4] = cat(1, L - {1, 1, 0.6}, {top.energy - 0.81});
    annotation(experiment(StopTime = 10));
  end FreeTop;
end Rotations;
