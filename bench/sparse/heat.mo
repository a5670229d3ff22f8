model Heat2D "Heat in a square with cold edges, N by N inner points of the five-point formula"
  parameter Integer N = 100;
  parameter Real c = (N + 1)^2 "diffusivity over the square of the mesh";
  parameter Real x[N] = {k/(N + 1) for k in 1:N};
  Real u[N, N](start = {{16*x[i]*(1 - x[i])*x[j]*(1 - x[j]) for j in 1:N} for i in 1:N}, each fixed = true);
equation
  for i in 1:N, j in 1:N loop
    der(u[i, j]) = c*((if i == 1 then 0 else u[i - 1, j]) + (if i == N then 0 else u[i + 1, j]) +
      (if j == 1 then 0 else u[i, j - 1]) + (if j == N then 0 else u[i, j + 1]) - 4*u[i, j]);
  end for;
  annotation(experiment(StopTime = 0.1, Tolerance = 1e-4));
end Heat2D;
