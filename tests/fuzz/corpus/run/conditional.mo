model Conditional
  parameter Boolean fine = true;
  parameter Integer n = if fine then 4 else 2;
  Real T[n](each start = 300, each fixed = true), q = 1 if fine;
  Real flow_[n + 1];
equation
  flow_[1] = 1;
  for i in 2:n loop
    flow_[i] = T[i - 1] - T[i];
  end for;
  flow_[n + 1] = 0;
  for i in 1:n loop
    der(T[i]) = flow_[i] - flow_[i + 1];
  end for;
end Conditional;
