model beam "Elastic inextensible beam of 40 links, pushed for a while at its free end"
  constant Integer n = 40;
  constant Real pi = 3.14159265358979323846;
  Real y[2*n](each start = 0) "link angles, then their rates";
  Real s[n] "sines of the angles between neighbours";
  Real c[n] "their cosines";
  Real w[n] "second solution vector";
  Real z[n] "bending and load";
  Real force = if time <= pi then 1.5*sin(time)^2 else 0 "load along (-1, 1)";
equation
  s[1] = 0;
  c[1] = 0;
  for i in 2:n loop
    s[i] = sin(y[i] - y[i - 1]);
    c[i] = cos(y[i] - y[i - 1]);
  end for;
  z[1] = n^4*(-3*y[1] + y[2]) + n^2*force*(cos(y[1]) + sin(y[1]));
  for i in 2:n - 1 loop
    z[i] = n^4*(y[i - 1] - 2*y[i] + y[i + 1]) + n^2*force*(cos(y[i]) + sin(y[i]));
  end for;
  z[n] = n^4*(y[n - 1] - y[n]) + n^2*force*(cos(y[n]) + sin(y[n]));
  // C w = D z + rates^2, a tridiagonal system
  w[1] - c[2]*w[2] = s[2]*z[2] + y[n + 1]^2;
  for i in 2:n - 1 loop
    -c[i]*w[i - 1] + 2*w[i] - c[i + 1]*w[i + 1] = -s[i]*z[i - 1] + s[i + 1]*z[i + 1] + y[n + i]^2;
  end for;
  -c[n]*w[n - 1] + 3*w[n] = -s[n]*z[n - 1] + y[2*n]^2;
  for i in 1:n loop
    der(y[i]) = y[n + i];
  end for;
  der(y[n + 1]) = z[1] - c[2]*z[2] + s[2]*w[2];
  for i in 2:n - 1 loop
    der(y[n + i]) = 2*z[i] - c[i]*z[i - 1] - c[i + 1]*z[i + 1] - s[i]*w[i - 1] + s[i + 1]*w[i + 1];
  end for;
  der(y[2*n]) = 3*z[n] - c[n]*z[n - 1] - s[n]*w[n - 1];
  annotation(experiment(StopTime = 5));
end beam;
