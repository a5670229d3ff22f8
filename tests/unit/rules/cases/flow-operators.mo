operator record Pair
  Real a, b;
  encapsulated operator function '+'
    import Pair;
    input Pair x, y;
    output Pair z = Pair(x.a + y.a, x.b + y.b);
  algorithm
  end '+';
  encapsulated operator function '-'
    import Pair;
    input Pair x;
    output Pair z = Pair(-x.a, -x.b);
  algorithm
  end '-';
  encapsulated operator function '0'
    import Pair;
    output Pair z = Pair(0, 0);
  algorithm
  end '0';
end Pair;

operator record Half
  Real a, b;
  encapsulated operator function '+'
    import Half;
    input Half x, y;
    output Half z = Half(x.a + y.a, x.b + y.b);
  algorithm
  end '+';
end Half;

model Legal
  connector C
    Pair e;
    flow Pair f;
  end C;
  C c(e(a = 1, b = 2));
end Legal;

model Illegal
  connector C
    Half e;
    flow Half f;
  end C;
  C c(e(a = 1, b = 2));
end Illegal;
