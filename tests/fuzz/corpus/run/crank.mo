model Crank
  parameter Real a = 0.3, b = 1;
  Real phi(start = 0.5), psi(start = -0.1), s(start = 1.2), w(start = 1), lam1, lam2;
equation
  a*sin(phi) + b*sin(psi) = 0;
  a*cos(phi) + b*cos(psi) = s;
  w = der(phi);
  der(w) = -0.1*w + lam1*a*cos(phi) - lam2*a*sin(phi);
  0 = lam1*b*cos(psi) - lam2*b*sin(psi);
  der(der(s)) = -lam2;
end Crank;
