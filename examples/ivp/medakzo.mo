model medakzo "Antibodies diffuse into a tissue and react with it: 200 grid points, the source stops at t = 5"
  constant Integer n = 200;
  constant Real k = 100 "reaction", c = 4 "of the map from the half line onto (0, 1)";
  constant Real h = 1/n;
  Real u[n](each start = 0) "antibody, diffusing";
  Real v[n](each start = 1) "substrate, fixed";
  discrete Real phi(start = 2, fixed = true) "antibody at the surface";
  Real U[n + 2] = cat(1, {phi}, u, {u[n]}) "with both boundaries";
equation
  when time >= 5 then
    phi = 0;
  end when;
  for j in 1:n loop
    der(u[j]) = 2*(j*h - 1)^3/c^2*(U[j + 2] - U[j])/(2*h) + (j*h - 1)^4/c^2*(U[j] - 2*U[j + 1] + U[j + 2])/h^2 - k*u[j]*v[j];
    der(v[j]) = -k*u[j]*v[j];
  end for;
  annotation(experiment(StopTime = 20));
end medakzo;
