model fekete "Twenty points on a sphere that repel each other until they are as far apart as they can be: index 2"
  constant Real pi = 3.14159265358979323846;
  constant Integer n = 20;
  constant Real alpha = 0.5 "damping";

  function ring "a point of a ring: the i-th of m at a latitude"
    input Integer i, m;
    input Real shift, latitude;
    output Real p[3];
  protected
    Real longitude = 2*pi*i/m + shift;
  algorithm
    p := {cos(longitude)*cos(latitude), sin(longitude)*cos(latitude), sin(latitude)};
  end ring;

  constant Real p0[n, 3] = cat(1, {ring(i, 3, pi/13, 3*pi/8) for i in 1:3}, {ring(i, 7, pi/29, pi/8) for i in 1:7},
    {ring(i, 6, pi/7, -2*pi/15) for i in 1:6}, {ring(i, 4, pi/17, -3*pi/10) for i in 0:3}) "where they start";
  Real p[n, 3](start = p0) "places";
  Real q[n, 3](each start = 0) "velocities";
  Real lambda[n](each start = -4.75) "forces that keep the points on the sphere";
  Real mu[n](each start = 0) "and the velocities in its tangent plane";
  Real w[n, n] = {{if i == j then 0 else 1/((p[i, :] - p[j, :])*(p[i, :] - p[j, :])) for j in 1:n} for i in 1:n}
    "inverse squares of the distances";
equation
  for i in 1:n loop
    der(p[i, :]) = q[i, :] + 2*mu[i]*p[i, :];
    der(q[i, :]) = {sum(w[i, j]*(p[i, k] - p[j, k]) for j in 1:n) for k in 1:3} - alpha*q[i, :] + 2*lambda[i]*p[i, :];
    p[i, :]*p[i, :] = 1;
    2*p[i, :]*q[i, :] = 0;
  end for;
  annotation(experiment(StopTime = 1000));
end fekete;
