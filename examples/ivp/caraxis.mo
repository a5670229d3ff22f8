model caraxis "Car axis on a bumpy road: index 3, two point masses, two rods"
  constant Real eps = 1e-2, M = 10, L = 1, L0 = 0.5, r = 0.1, w = 10, g = 1;
  constant Real k = M*eps^2/2;
  Real y[10](start = {0, L0, L, L0, -L0/L, 0, -L0/L, 0, 0, 0})
    "positions of the left and right mass, their velocities, two multipliers";
  Real yb = r*sin(w*time) "the road under the right wheel";
  Real xb = sqrt(L^2 - yb^2);
  Real Ll = sqrt(y[1]^2 + y[2]^2);
  Real Lr = sqrt((y[3] - xb)^2 + (y[4] - yb)^2);
equation
  der(y[1]) = y[5];
  der(y[2]) = y[6];
  der(y[3]) = y[7];
  der(y[4]) = y[8];
  k*der(y[5]) = (L0 - Ll)*y[1]/Ll + y[9]*xb + 2*y[10]*(y[1] - y[3]);
  k*der(y[6]) = (L0 - Ll)*y[2]/Ll + y[9]*yb + 2*y[10]*(y[2] - y[4]) - k*g;
  k*der(y[7]) = (L0 - Lr)*(y[3] - xb)/Lr - 2*y[10]*(y[1] - y[3]);
  k*der(y[8]) = (L0 - Lr)*(y[4] - yb)/Lr - 2*y[10]*(y[2] - y[4]) - k*g;
  0 = xb*y[1] + yb*y[2];
  0 = (y[1] - y[3])^2 + (y[2] - y[4])^2 - L^2;
  annotation(experiment(StopTime = 3));
end caraxis;
