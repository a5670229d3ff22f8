model Heat3D "Heat in a cube with cold faces, N by N by N inner points of the seven-point formula"
  parameter Integer N = 47;
  parameter Real c = (N + 1)^2 "diffusivity over the square of the mesh";
  parameter Real x[N] = {k/(N + 1) for k in 1:N};
  Real u[N, N, N](start = {{{64*x[i]*(1 - x[i])*x[j]*(1 - x[j])*x[k]*(1 - x[k]) for k in 1:N} for j in 1:N} for i in 1:N},
    each fixed = true);
equation
  for i in 1:N, j in 1:N, k in 1:N loop
    der(u[i, j, k]) = c*((if i == 1 then 0 else u[i - 1, j, k]) + (if i == N then 0 else u[i + 1, j, k]) +
      (if j == 1 then 0 else u[i, j - 1, k]) + (if j == N then 0 else u[i, j + 1, k]) +
      (if k == 1 then 0 else u[i, j, k - 1]) + (if k == N then 0 else u[i, j, k + 1]) - 6*u[i, j, k]);
  end for;
  annotation(experiment(StopTime = 0.1, Tolerance = 1e-4));
end Heat3D;
