model Legal
  constant Real a = 2, b = 3*a;
  parameter Real p[3] = {1, 2, 3};
  constant Integer n = size(p, 1);
  parameter Real q = b;
end Legal;

model Illegal
  parameter Real p = 2;
  constant Real c = 3*p;
end Illegal;

model IllegalModifier
  model M
    constant Real c = 1;
  end M;
  parameter Real p = 2;
  M m(c = p);
end IllegalModifier;
