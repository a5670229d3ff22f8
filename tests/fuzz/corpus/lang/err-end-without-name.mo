model M
  Real x;
end;
