model Brusselator2D "Reaction and diffusion in a square with closed edges, N by N points (Hairer, Norsett & Wanner I, section II.10)"
  parameter Integer N = 71 "two unknowns per point";
  parameter Real alpha = 0.002 "diffusivity";
  parameter Real c = alpha*(N - 1)^2;
  Real u[N, N](start = {{0.5 + (j - 1)/(N - 1) for j in 1:N} for i in 1:N}, each fixed = true);
  Real v[N, N](start = {{1 + 5*(i - 1)/(N - 1) for j in 1:N} for i in 1:N}, each fixed = true);
equation
  for i in 1:N, j in 1:N loop
    der(u[i, j]) = 1 + u[i, j]^2*v[i, j] - 4.4*u[i, j] +
      c*(u[if i == 1 then 2 else i - 1, j] + u[if i == N then N - 1 else i + 1, j] +
         u[i, if j == 1 then 2 else j - 1] + u[i, if j == N then N - 1 else j + 1] - 4*u[i, j]);
    der(v[i, j]) = 3.4*u[i, j] - u[i, j]^2*v[i, j] +
      c*(v[if i == 1 then 2 else i - 1, j] + v[if i == N then N - 1 else i + 1, j] +
         v[i, if j == 1 then 2 else j - 1] + v[i, if j == N then N - 1 else j + 1] - 4*v[i, j]);
  end for;
  annotation(experiment(StopTime = 11.5, Tolerance = 1e-4));
end Brusselator2D;
