operator record Pair
  Real a, b;
  encapsulated operator '-'
    import Pair;
    function negate
      input Pair p;
      output Pair q = Pair(-p.a, -p.b);
    algorithm
    end negate;
    function subtract
      input Pair p, r;
      output Pair q = Pair(p.a - r.a, p.b - r.b);
    algorithm
    end subtract;
  end '-';
end Pair;

operator record One
  Real a;
  encapsulated operator function '+'
    import One;
    input One p;
    output One q = One(p.a);
  algorithm
  end '+';
end One;

model Legal
  Pair p = -Pair(1, 2);
end Legal;

model Illegal
  One p(a = 1);
end Illegal;
