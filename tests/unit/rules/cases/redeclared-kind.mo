model Legal
  model A
    replaceable Real x = 1;
    replaceable model M
      Real y = 1;
    end M;
    M m;
  end A;
  model N
    Real y = 2;
  end N;
  A a(redeclare Real x = 2, redeclare model M = N);
end Legal;

model IllegalClassAsComponent
  model A
    replaceable model M
      Real y = 1;
    end M;
    M m;
  end A;
  A a(redeclare Real M = 2);
end IllegalClassAsComponent;

model IllegalComponentAsClass
  model A
    replaceable Real x = 1;
  end A;
  model N
    Real y = 2;
  end N;
  A a(redeclare model x = N);
end IllegalComponentAsClass;
