model A
  Real x = ;
end A;

model B
  Real y
end B;

model C
equation
  z = (1 + 2;
end D;

model Fine
end Fine;
