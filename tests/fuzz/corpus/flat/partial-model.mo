partial model OnePort
  Real v, i;
end OnePort;
