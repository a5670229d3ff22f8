model ReinitOfANumber
  Real x(start=0, fixed=true);
  Real z;
equation
  der(x) = 1;
  z = 0.05;
  when z < 0.02 or x > 2*x then
    reinit(z, 3);
  end when;
end ReinitOfANumber;
