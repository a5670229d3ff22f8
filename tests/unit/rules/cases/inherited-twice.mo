model Legal
  model Base
    parameter Real k = 2;
    replaceable model Part
      Real p = 1;
    end Part;
  end Base;
  model Left
    extends Base;
  end Left;
  model Right
    extends Base;
  end Right;
  model Both // the elements of Base come on two ways
    extends Left;
    extends Right;
    parameter Real k = 2; // and once more as they are
    Real y = k;
  end Both;
  model Special
    extends Base;
    redeclare model Part
      Real p = 2, q = 3;
    end Part;
    Part part;
  end Special;
  Both both;
  Special special;
end Legal;

model IllegalComponent
  model Base
    Real k = 2;
  end Base;
  model Derived
    extends Base;
    Integer k = 1;
  end Derived;
  Derived d;
end IllegalComponent;

model IllegalClass
  model Base
    model Part
      Real p = 1;
    end Part;
  end Base;
  model Derived
    extends Base;
    model Part
      Real p = 2;
    end Part;
    Part part;
  end Derived;
  Derived d;
end IllegalClass;

model IllegalBases
  model Left
    parameter Real k = 1;
  end Left;
  model Right
    parameter Real k = 2;
  end Right;
  model Both
    extends Left;
    extends Right;
  end Both;
  Both both;
end IllegalBases;
