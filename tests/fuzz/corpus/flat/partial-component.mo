partial model OnePort
  Real v, i;
end OnePort;
model M
  OnePort p;
  replaceable OnePort q;
end M;
