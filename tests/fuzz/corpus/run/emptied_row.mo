model Crank
  parameter Real a = 0.3, b = 1;
  Real phi(start = phi), psi(start = -0.1), s(start = 1.2), w(), lam1, lam2;
equation
  a*der(phi) + b*sin(psi) = 0;
  a .* w + b*cos(psi) = s;
  psi = der(phi);
  a .* w + b*cos(psi) = s;
der(w) = -0.1*w + lam1*a*cos(phi) - lam2*a*(sin(phi))^0.5;
  0 = lam1*b*cos(psi) - lam2*b*sin(psi);
  
end Crank;
