package Lib
  model Outer
    encapsulated model Part
      Real x = time;
    end Part;
  end Outer;
end Lib;

model Legal
  model Both
    extends Lib.Outer;
    extends Lib.Outer.Part;
  end Both;
  Both both;
end Legal;

model Illegal
  model Both
    extends Lib.Outer;
    extends Part;
  end Both;
  Both both;
end Illegal;
