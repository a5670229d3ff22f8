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

model LenientReplaceable
  package Air
    constant Real cp = 1005;
  end Air;
  package Water
    constant Real cp = 4180;
  end Water;
  model Left
    replaceable package Medium = Air;
    Real l = Medium.cp;
  end Left;
  model Right
    replaceable package Medium = Water;
    Real r = Medium.cp;
  end Right;
  model Both
    extends Left(redeclare package Medium = Water);
    extends Right;
  end Both;
  Both both;
end LenientReplaceable;
