package Lib
  package A
    constant Real x = 1;
  end A;
  package B
    constant Real x = 2;
  end B;
end Lib;

model Legal
  model User
    import Lib.A;
    import C = Lib.B;
    Real y = A.x + C.x;
  end User;
  User u;
end Legal;

model Illegal
  model User
    import Lib.A;
    import A = Lib.B;
    Real y = A.x;
  end User;
  User u;
end Illegal;
