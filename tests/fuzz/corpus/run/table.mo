model Table
  parameter Real t[:, 2] = [0, 0; 1, 2; 2, 1];
  Real y;
  Integer k;
algorithm
  k := 1;
  while k < size(t, 1) - 1 and time > t[k + 1, 1] loop
    k := k + 1;
  end while;
  y := t[k, 2] + (time - t[k, 1])*(t[k + 1, 2] - t[k, 2])/(t[k + 1, 1] - t[k, 1]);
end Table;
