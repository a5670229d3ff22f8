model Legal
  model A
    replaceable Real x = 1;
  end A;
  A a(redeclare final Real x = 2);
end Legal;

model IllegalComponent
  model A
    final replaceable Real x = 1;
  end A;
  A a(redeclare Real x = 2);
end IllegalComponent;

model IllegalClass
  model A
    final replaceable model M
      Real x = 2;
    end M;
    M m;
  end A;
  extends A;
  redeclare model M
    Real x = 3;
  end M;
end IllegalClass;
