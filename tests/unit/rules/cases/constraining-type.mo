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
