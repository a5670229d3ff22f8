model Pairs "One of 400 pairs of equations is singular: its element and its line are named"
  parameter Integer N = 400;
  parameter Real a[N] = {if i == 77 then 1.0 else 2.0 for i in 1:N};
  Real u[N], v[N], x(start = 0, fixed = true);
equation
  der(x) = 1;
  for i in 1:N loop
    u[i] + v[i] = time;
    a[i]*u[i] + v[i] = 2*sin(time);
  end for;
end Pairs;
