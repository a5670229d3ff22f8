operator record Pair
  Real a, b;
  encapsulated operator 'constructor'
    import Pair;
    function fromReal
      input Real a;
      input Real b = 0;
      output Pair p(a = a, b = b);
    algorithm
    end fromReal;
  end 'constructor';
  encapsulated operator function 'String'
    import Pair;
    input Pair p;
    output String s = String(p.a);
  algorithm
  end 'String';
end Pair;

operator record Twice
  Real a;
  encapsulated operator 'constructor'
    import Twice;
    function both
      input Real a;
      output Twice p;
      output Twice q;
    algorithm
    end both;
  end 'constructor';
end Twice;

operator record Other
  Real a;
  encapsulated operator function 'String'
    import Other;
    input Other p;
    output Integer s = 1;
  algorithm
  end 'String';
end Other;

model Legal
  Pair p = Pair(1);
end Legal;

model IllegalOutputs
  Twice p(a = 1);
end IllegalOutputs;

model IllegalType
  Other p(a = 1);
end IllegalType;
