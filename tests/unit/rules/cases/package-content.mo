model Legal
  package Data
    constant Real g = 9.81;
    model Fall
      parameter Real v0 = 1;
      Real v = v0 + g*time;
    end Fall;
  end Data;
  Data.Fall fall(v0 = Data.g);
end Legal;

model IllegalParameter
  package Data
    parameter Real g = 9.81;
  end Data;
  Real v = Data.g*time;
end IllegalParameter;

model IllegalVariable
  package Data
    constant Real g = 9.81;
    Real x = 1;
  end Data;
  Real v = Data.g*time;
end IllegalVariable;
