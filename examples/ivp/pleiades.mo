model pleiades "Seven stars in the plane that pass each other closely: not stiff"
  constant Integer n = 7;
  Real x[n](start = {3, 3, -1, -3, 2, -2, 2}), y[n](start = {3, -3, 2, 0, 0, -4, 4}) "places";
  Real u[n](start = {0, 0, 0, 0, 0, 1.75, -1.5}), v[n](start = {0, 0, 0, -1.25, 1, 0, 0}) "velocities";
  Real w[n, n] = {{if i == j then 0 else ((x[i] - x[j])^2 + (y[i] - y[j])^2)^(-1.5) for j in 1:n} for i in 1:n}
    "inverse cubes of the distances; star i has the mass i";
equation
  der(x) = u;
  der(y) = v;
  for i in 1:n loop
    der(u[i]) = sum(j*(x[j] - x[i])*w[i, j] for j in 1:n);
    der(v[i]) = sum(j*(y[j] - y[i])*w[i, j] for j in 1:n);
  end for;
  annotation(experiment(StopTime = 3));
end pleiades;
