model A
  replaceable Real x;
end A;
model M
  extends A;
  redeclare Real y;
end M;
