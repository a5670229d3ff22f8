model Gear "two inertias and a gear: constraint with constant coefficients"
  parameter Real r = 3, J1 = 1, J2 = 2;
  Real phi1, phi2, w1, w2, t1, t2;
equation
  der(phi1) = w1;
  der(phi2) = w2;
  J1*der(w1) = 1 - t1;
  J2*der(w2) = t2;
  phi1 = r*phi2;
  r*t1 = t2;
end Gear;
