package Lib
  package Inner
    model Part
      Real x = time;
    end Part;
  end Inner;
  model Right
    import P = Lib.Inner.Part;
    P p;
  end Right;
  model Wrong
    import P = Inner.Part;
    P p;
  end Wrong;
end Lib;

model Legal
  Lib.Right r;
end Legal;

model Illegal
  Lib.Wrong w;
end Illegal;
