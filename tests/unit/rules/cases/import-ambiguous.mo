package Lib
  package A
    constant Real x = 1, y = 2;
  end A;
  package B
    constant Real x = 3, z = 4;
  protected
    constant Real y = 5;
  end B;
end Lib;

model Legal
  import Lib.A.*;
  import Lib.B.*;
  Real s = y + z; // y of B is protected and not found
end Legal;

model Illegal
  import Lib.A.*;
  import Lib.B.*;
  Real s = x;
end Illegal;
