model ReinitNoState
  Real x(start=0, fixed=true);
  Real z;
equation
  der(x) = 1;
  z = 2*x;
  when x > 0.5 then
    reinit(z, 3);
  end when;
end ReinitNoState;
