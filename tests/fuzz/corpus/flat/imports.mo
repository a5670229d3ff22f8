package A
  package B
    constant Real one = 1, two = 2, three = 3;
    model M
      Real x = 4;
    end M;
    type T = Real(unit = "m");
  end B;
  encapsulated package C
    import A.B.{one, three};
    constant Real four = one + three;
  end C;
end A;
model Imports
  import A.B;
  import Q = A.C;
  import A.B.two;
  import A.B.*;
  B.T a = B.one;
  T b = two;
  M m;
  Real c = Q.four;
  Real d = .A.B.three;
end Imports;
