model Legal
  model A
    replaceable Real x = 1;
    replaceable model M
      Real y = 2;
    end M;
    Real z[:] = ones(size(z, 1));
    M m;
  end A;
  model B
    extends A(redeclare replaceable Real x = 3);
    redeclare replaceable model extends M
      Real w = 4;
    end M;
  end B;
  B b(redeclare Real x = 5, redeclare Real z[2]);
end Legal;

model LegalSame "What it was redeclared to be already"
  package Water
    constant Real d = 1000;
  end Water;
  model A
    replaceable package Medium = Water;
    Real d = Medium.d;
  end A;
  model B
    package Liquid = Water;
    replaceable A a constrainedby A(redeclare package Medium = Liquid);
  end B;
  package Fluid = Water;
  B b(redeclare A a(redeclare package Medium = Fluid));
end LegalSame;

model LegalInPlace
  model A
    replaceable model M
      Real y = 2;
    end M;
  end A;
  extends A;
  model extends M
    Real w = 4;
  end M;
  M m;
end LegalInPlace;

model IllegalComponent
  model Part
    Real y = 1;
  end Part;
  model Other
    Real y = 2;
  end Other;
  model A
    Part p;
  end A;
  A a(redeclare Other p);
end IllegalComponent;

model IllegalClass
  model A
    model M
      Real y = 2;
    end M;
    M m;
  end A;
  model N
    Real y = 3;
  end N;
  A a(redeclare model M = N);
end IllegalClass;

model IllegalTwice
  model Part
    Real y = 1;
  end Part;
  model Other
    Real y = 2;
  end Other;
  model A
    replaceable Part p;
  end A;
  model B
    extends A(redeclare Part p);
  end B;
  B b(redeclare Other p);
end IllegalTwice;

model IllegalOther
  package Water
    constant Real d = 1000;
  end Water;
  package Air
    constant Real d = 1;
  end Air;
  model A
    replaceable package Medium = Water;
    Real d = Medium.d;
  end A;
  model B
    A a(redeclare package Medium = Water);
  end B;
  B b(a(redeclare package Medium = Air));
end IllegalOther;

model IllegalInPlace
  model A
    model M
      Real y = 2;
    end M;
  end A;
  extends A;
  model extends M
    Real w = 4;
  end M;
  M m;
end IllegalInPlace;
