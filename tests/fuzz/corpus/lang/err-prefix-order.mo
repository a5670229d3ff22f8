model M
  parameter flow Real x;
  input parameter Real y;
  constant parameter Real z;
  replaceable final Real w;
end M;
