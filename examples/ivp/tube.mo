model tube "Water in 18 pipes between 13 nodes through a day: index 2"
  constant Real pi = 3.14159265358979323846;
  constant Integer pipes = 18, nodes = 13;
  constant Integer from[pipes] = {1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 8, 8, 9, 11, 11, 12, 12, 13};
  constant Integer to[pipes] = {2, 3, 6, 4, 5, 5, 10, 5, 4, 8, 5, 10, 8, 9, 12, 7, 8, 11};
  constant Real nu = 1.31e-6 "kinematic viscosity", g = 9.8, rho = 1e3, Rcrit = 2.3e3 "where the flow becomes turbulent";
  constant Real L = 1e3, k = 2e-4, d = 1 "length, roughness and diameter of a pipe", b = 2e2 "area of a buffer";
  constant Real a = pi*d^2/4;

  function roughness "how far the resistance coefficient lambda is from its equation (Colebrook and White)"
    input Real lambda, R;
    output Real r;
  protected
    Real s = sqrt(lambda);
  algorithm
    r := 1/s - 1.74 + 2*log10(2*k/d + 18.7/(max(R, Rcrit)*s));
  end roughness;

  function friction "drop of pressure along a pipe"
    input Real lambda, phi, R;
    output Real p;
  algorithm
    p := if R > Rcrit then lambda*rho*L*phi^2/(a^2*d) else 32*nu*rho*L*phi/(a*d^2);
  end friction;

  Real phi[pipes](each start = 0) "flow";
  Real lambda[pipes](each start = 0.47519404529185289807e-1) "resistance coefficient";
  Real p[nodes](each start = 109800, each nominal = 1e6) "pressure";
  Real R[pipes] = {abs(phi[i]*d/(nu*a)) for i in 1:pipes} "Reynolds number";
  Real T = time/3600;
  Real supply[nodes] "flow in from outside";
  Real net[nodes] "flow in";
equation
  supply = {if j == 1 then (1 - cos(exp(-T) - 1))/200 else if j == 13 then (1 - cos(exp(-T) - 1))/80
    else if j == 10 then -T^2*(3*T^2 - 92*T + 720)/1e6 else 0 for j in 1:nodes};
  net = {supply[j] + sum(if to[i] == j then phi[i] else if from[i] == j then -phi[i] else 0 for i in 1:pipes)
    for j in 1:nodes};
  for i in 1:pipes loop
    rho*L/a*der(phi[i]) = p[from[i]] - p[to[i]] - friction(lambda[i], phi[i], R[i]);
    0 = roughness(lambda[i], R[i]);
  end for;
  for j in 1:nodes loop
    if j == 5 or j == 8 then // the two buffers
      b/(rho*g)*der(p[j]) = net[j];
    else
      0 = net[j];
    end if;
  end for;
  annotation(experiment(StopTime = 61200));
end tube;
