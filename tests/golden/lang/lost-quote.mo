model M
  Real x "position;
  Real v "velocity";
end M;
