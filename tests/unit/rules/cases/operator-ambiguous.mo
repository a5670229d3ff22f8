operator record Pair
  Real a, b;
  encapsulated operator 'constructor'
    import Pair;
    function one
      input Real a;
      output Pair p(a = a, b = 0);
    algorithm
    end one;
    function flag
      input Boolean a;
      output Pair p(a = 1, b = 0);
    algorithm
    end flag;
  end 'constructor';
end Pair;

operator record Either
  Real a, b;
  encapsulated operator 'constructor'
    import Either;
    function one
      input Real a;
      output Either p(a = a, b = 0);
    algorithm
    end one;
    function other
      input Real b;
      input Real a = 1;
      output Either p(a = a, b = b);
    algorithm
    end other;
  end 'constructor';
end Either;

model Legal
  Pair p = Pair(1), q = Pair(true);
end Legal;

model Illegal
  Either p = Either(1);
end Illegal;
