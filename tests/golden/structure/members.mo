// Equations of a loop and of an array of components are not written out: aliases take the place of variables.
model Mass
  parameter Real C = 2;
  Real T(start = 20, fixed = true), theta, Q;
equation
  T = theta;
  C*der(T) = Q;
end Mass;
model Members
  parameter Integer n = 6;
  parameter Real k = 3;
  Mass m[n];
  Real q[n];
equation
  for i in 1:n loop
    q[i] = k*(m[i].theta - (if i > 1 then m[i - 1].theta else 0))^3;
    m[i].Q = q[i];
  end for;
end Members;
