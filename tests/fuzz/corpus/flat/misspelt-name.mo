model M
  Real lambda, x(start = 1);
equation
  der(x) = -lamda*x;
  lambda = 2;
end M;
