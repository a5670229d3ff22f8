model Catalyst "A reactor filled with two catalysts, whose mixture changes along it: A <-> B -> C"
  input Real u "share of the first, which serves A <-> B";
  Real a(start = 1, fixed = true) "of A";
  Real b(start = 0, fixed = true) "of B";
equation
  der(a) = u*(10*b - a);
  der(b) = u*(a - 10*b) - (1 - u)*b;
  annotation(experiment(StopTime = 1));
end Catalyst;
