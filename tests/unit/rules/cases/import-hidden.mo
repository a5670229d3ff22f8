package Lib
  constant Real x = 1;
protected
  constant Real y = 2;
end Lib;

model Legal
  import Lib.*;
  Real z = x;
end Legal;

model Illegal
  import Lib.*;
  Real z = y;
end Illegal;
