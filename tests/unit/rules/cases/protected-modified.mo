model Legal
  model Motor
    Real power = k*time;
  protected
    parameter Real k = 2;
  end Motor;
  model Strong
    extends Motor(k = 5);
  end Strong;
  model Weak = Motor(k = 1);
  Strong s;
  Weak w;
end Legal;

model IllegalValue
  model Motor
    Real power = k*time;
  protected
    parameter Real k = 2;
  end Motor;
  Motor m(k = 5);
end IllegalValue;

model IllegalDeep
  model Motor
    Real power = k*time;
  protected
    parameter Real k = 2;
  end Motor;
  model Drive
    Motor m;
  end Drive;
  Drive d(m.k = 5);
end IllegalDeep;

model IllegalRedeclaration
  model Motor
  protected
    replaceable model Part
      Real x = 1;
    end Part;
    Part part;
  end Motor;
  model Other
    Real x = 2;
  end Other;
  Motor m(redeclare model Part = Other);
end IllegalRedeclaration;
