model M
  Real end;
  Real initial = 1;
  parameter Real loop;
end M;
