package Invariants "What the motion keeps, named by the model"
  model Tumbling "A free rigid body, thrown about its middle axis"
    parameter Real J[3](each unit = "kg.m2") = {1, 2, 3} "principal moments of inertia";
    Real w[3](each unit = "rad/s", start = {0.1, 1, 0.05}, each fixed = true) "angular velocity, along the axes of the body";
    Real q[4](start = {1, 0, 0, 0}, each fixed = true) "quaternion";
    Real N = q*q "stays 1";
    Real R[3, 3] = Vincolo.Rotations.fromQuaternion(q);
    Real E(unit = "J") = J*(w.*w)/2;
    Real L[3](each unit = "kg.m2/s") = R*(J.*w) "angular momentum, in space";
  equation
    J.*der(w) = cross(J.*w, w);
    der(q) = {-q[2:4]*w, q[1]*w[1] + q[3]*w[3] - q[4]*w[2], q[1]*w[2] + q[4]*w[1] - q[2]*w[3],
              q[1]*w[3] + q[2]*w[2] - q[3]*w[1]}/2;
    annotation(experiment(StopTime = 100), __Vincolo(invariant = {E, L, N}));
  end Tumbling;

  model Chain "Masses in the plane that springs hold together: nothing else acts on them"
    parameter Integer n = 6;
    parameter Real m[n](each unit = "kg") = {1 + 0.1*i for i in 1:n};
    parameter Real a(unit = "m") = 1, k(unit = "N/m") = 100, b(unit = "N/m3") = 50 "springs that stiffen";
    Real r[n, 2](each unit = "m", start = {{1.1*i, 0.2*sin(i)} for i in 1:n}, each fixed = true);
    Real v[n, 2](each unit = "m/s", start = {{0.3*cos(i), 0.1*i} for i in 1:n}, each fixed = true);
    Real l[n - 1](each unit = "m") = {sqrt((r[i + 1, :] - r[i, :])*(r[i + 1, :] - r[i, :])) for i in 1:n - 1};
    Real f[n + 1, 2](each unit = "N") "force in each spring; none beyond the ends";
    Real E(unit = "J") = sum(m[i]*(v[i, :]*v[i, :]) for i in 1:n)/2
      + sum(k*(l[i] - a)^2/2 + b*(l[i] - a)^4/4 for i in 1:n - 1);
    Real p[2](each unit = "kg.m/s") = m*v;
    Real L(unit = "kg.m2/s") = sum(m[i]*(r[i, 1]*v[i, 2] - r[i, 2]*v[i, 1]) for i in 1:n);
  equation
    f[1, :] = zeros(2);
    f[n + 1, :] = zeros(2);
    for i in 1:n - 1 loop
      f[i + 1, :] = (k*(l[i] - a) + b*(l[i] - a)^3)*(r[i + 1, :] - r[i, :])/l[i];
    end for;
    der(r) = v;
    for i in 1:n loop
      m[i]*der(v[i, :]) = f[i + 1, :] - f[i, :];
    end for;
    annotation(experiment(StopTime = 20), __Vincolo(invariant = {E, p, L}));
  end Chain;
end Invariants;
