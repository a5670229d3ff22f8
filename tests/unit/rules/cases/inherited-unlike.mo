model Legal
  model Left
    Real x(start = 1) "position";
  end Left;
  model Right
    Real x(start = 1) "the same position";
  end Right;
  model Both
    extends Left;
    extends Right;
  equation
    der(x) = -x;
  end Both;
  Both both;
end Legal;

model Lenient
  model Left
    Real x(start = 1);
  end Left;
  model Right
    Real x(start = 2);
  end Right;
  model Both
    extends Left;
    extends Right;
  equation
    der(x) = -x;
  end Both;
  Both both;
end Lenient;
