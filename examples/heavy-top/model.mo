model HeavyTop "Heavy symmetric top with a quaternion; the mass matrix of the quaternion alone is singular"
  parameter Real m = 15, g = 9.81;
  parameter Real J[3] = {0.234375, 0.46875, 0.234375} "about the mass centre";
  parameter Real c[3] = {0, 1, 0} "mass centre in the body";
  parameter Real w0[3] = {0, 150, -4.61538};
  Real p[4](start = {1, 0, 0, 0}, each fixed = true) "quaternion";
  Real dp[4](start = {0, w0[1]/2, w0[2]/2, w0[3]/2}, each fixed = true);
  Real w[3] "body rates";
  Real r[3](start = {0, 1, 0}) "mass centre";
  Real lambda[4];
  Real R[3, 3] = [p[1]^2 + p[2]^2 - p[3]^2 - p[4]^2, 2*(p[2]*p[3] - p[1]*p[4]), 2*(p[2]*p[4] + p[1]*p[3]);
                  2*(p[2]*p[3] + p[1]*p[4]), p[1]^2 - p[2]^2 + p[3]^2 - p[4]^2, 2*(p[3]*p[4] - p[1]*p[2]);
                  2*(p[2]*p[4] - p[1]*p[3]), 2*(p[3]*p[4] + p[1]*p[2]), p[1]^2 - p[2]^2 - p[3]^2 + p[4]^2];
equation
  der(p) = dp;
  w = 2*[-p[2], p[1], p[4], -p[3]; -p[3], -p[4], p[1], p[2]; -p[4], p[3], -p[2], p[1]]*der(p);
  Vincolo.lagrange(q = {r[1], r[2], r[3], p[1], p[2], p[3], p[4]},
    T = m/2*(der(r)*der(r)) + 2*(
        J[1]*(-p[2]*der(p[1]) + p[1]*der(p[2]) + p[4]*der(p[3]) - p[3]*der(p[4]))^2
      + J[2]*(-p[3]*der(p[1]) - p[4]*der(p[2]) + p[1]*der(p[3]) + p[2]*der(p[4]))^2
      + J[3]*(-p[4]*der(p[1]) + p[3]*der(p[2]) - p[2]*der(p[3]) + p[1]*der(p[4]))^2),
    V = m*g*r[3],
    Phi = {r[1] - 2*(p[2]*p[3] - p[1]*p[4]), r[2] - (p[1]^2 - p[2]^2 + p[3]^2 - p[4]^2),
           r[3] - 2*(p[3]*p[4] + p[1]*p[2]), p*p - 1}, lambda = lambda);
  annotation(experiment(StopTime = 2),
    __Vincolo(draw = {trace(r), rod({0, 0, 0}, r), body(r, R*[0, -1, 0; 1, 0, 0; 0, 0, 1], "cylinder", {0.12, 0.7})}));
end HeavyTop;
