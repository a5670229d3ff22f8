model Legal
  model A
    Real x = 1;
  end A;
  model B
    Real x = 2;
    Real y = 3;
  end B;
  model C
    extends B;
    parameter Real z = 4;
  end C;
  model Host
    replaceable B b constrainedby A;
    replaceable model M = A;
    M m;
  end Host;
  model Second
    extends Host(redeclare replaceable C b constrainedby B, redeclare model M = B);
  end Second;
  Host h(redeclare A b);
  Second s(redeclare B b);
end Legal;

model IllegalComponent
  model A
    Real x = 1;
  end A;
  model B
    Real x = 2;
    Real y = 3;
  end B;
  model Host
    replaceable B b;
  end Host;
  Host h(redeclare A b);
end IllegalComponent;

model IllegalClass
  model A
    Real x = 1;
  end A;
  model B
    Integer x = 2;
  end B;
  model Host
    replaceable model M = A;
    M m;
  end Host;
  Host h(redeclare model M = B);
end IllegalClass;

model IllegalDefault
  model A
    Real x = 1;
  end A;
  model B
    Real x = 2;
    Real y = 3;
  end B;
  replaceable A a constrainedby B;
end IllegalDefault;

model IllegalNewConstraint
  model A
    Real x = 1;
  end A;
  model B
    Real x = 2;
    Real y = 3;
  end B;
  model Host
    replaceable B b constrainedby B;
  end Host;
  model Second
    extends Host(redeclare replaceable B b constrainedby A);
  end Second;
  Second s;
end IllegalNewConstraint;

model IllegalDimensions
  type Row = Real[3];
  type Table = Real[2, 3];
  replaceable Row x[2] = {{1, 2, 3}, {4, 5, 6}} constrainedby Table;
end IllegalDimensions;

model IllegalPrefix
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  connector Other
    flow Real v;
    Real i;
  end Other;
  model Host
    replaceable Pin p;
  end Host;
  Host h(redeclare Other p);
end IllegalPrefix;

model LegalByModifier
  package Base
    replaceable record State
      Real p;
    end State;
  end Base;
  package Moist
    extends Base;
    redeclare replaceable record State
      Real p;
      Real x;
    end State;
  end Moist;
  partial model Wanted
    replaceable package Medium = Moist;
    Medium.State state;
  end Wanted;
  model Volume
    replaceable package Medium = Base;
    Medium.State state;
  equation
    state.p = 1;
    state.x = 2;
  end Volume;
  model Host
    replaceable package Medium = Moist;
    replaceable Volume v constrainedby Wanted(redeclare final package Medium = Medium);
  end Host;
  Host h;
  Host other(redeclare Volume v);
end LegalByModifier;

model IllegalInSpiteOfModifier
  package Base
    replaceable record State
      Real p;
    end State;
  end Base;
  package Moist
    extends Base;
    redeclare replaceable record State
      Real p;
      Real x;
    end State;
  end Moist;
  partial model Wanted
    replaceable package Medium = Base;
    Moist.State state;
    parameter Real m = 1;
  end Wanted;
  model Volume
    replaceable package Medium = Base;
    Medium.State state;
    parameter Real m = 1;
  equation
    state.p = 1;
  end Volume;
  replaceable Volume v constrainedby Wanted(m = 2);
end IllegalInSpiteOfModifier;
