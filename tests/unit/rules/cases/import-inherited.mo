package Lib
  model Part
    Real x = time;
  end Part;
end Lib;

model Legal
  model Base
    import Lib.Part;
    Part a;
  end Base;
  model Derived
    import Lib.Part;
    extends Base;
    Part b;
  end Derived;
  Derived d;
end Legal;

model Illegal
  model Base
    import Lib.Part;
    Part a;
  end Base;
  model Derived
    extends Base;
    Part b;
  end Derived;
  Derived d;
end Illegal;
