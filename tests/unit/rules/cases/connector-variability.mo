model Legal
  connector C
    parameter Real p = 1;
    Real e = 2;
    flow Real f;
  end C;
  C c;
end Legal;

model IllegalParameter
  connector C
    input Real x = 1;
  end C;
  parameter C c;
end IllegalParameter;

model IllegalConstant
  connector C = input Real;
  constant C c = 1;
end IllegalConstant;
