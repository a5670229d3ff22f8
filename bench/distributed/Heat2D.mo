model Heat2D "Heat in the unit square, zero on its boundary: the problem of IDA's idaHeat2D_kry_bbd_p"
  parameter Integer n = 10 "points in each direction, those on the boundary included";
  final parameter Real d = 1/(n - 1);
  Real u[n, n](start = {{16*(i - 1)*d*(1 - (i - 1)*d)*(j - 1)*d*(1 - (j - 1)*d) for j in 1:n} for i in 1:n});
  Real umax = max(u);
initial equation
  for i in 2:n - 1, j in 2:n - 1 loop
    u[i, j] = 16*(i - 1)*d*(1 - (i - 1)*d)*(j - 1)*d*(1 - (j - 1)*d);
  end for;
equation
  for i in 1:n, j in 1:n loop
    if i == 1 or i == n or j == 1 or j == n then
      u[i, j] = 0;
    else
      der(u[i, j]) = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4*u[i, j])/d^2;
    end if;
  end for;
  annotation(experiment(StopTime = 10.24));
end Heat2D;
