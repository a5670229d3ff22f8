package Lib
  model Part
    Real x = time;
  end Part;
  model Other
    Real x = 1;
  end Other;
end Lib;

model Legal
  model User
    import Lib.Part;
    replaceable model P = Part;
    P p;
  end User;
  User u(redeclare model P = Lib.Other);
end Legal;

model Illegal
  model User
    import Lib.Part;
    Part p;
  end User;
  User u(redeclare model Part = Lib.Other);
end Illegal;
