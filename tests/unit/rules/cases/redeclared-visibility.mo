model Legal
  model A
    replaceable Real x = 1;
  protected
    replaceable Real y = 1;
  end A;
  extends A;
  redeclare Real x = 2;
protected
  redeclare Real y = 3;
end Legal;

model IllegalToPublic
  model A
  protected
    replaceable Real x = 1;
  end A;
  extends A;
  redeclare Real x = 2;
end IllegalToPublic;

model IllegalToProtected
  model A
    replaceable model M
      Real x = 1;
    end M;
    M m;
  end A;
  extends A;
protected
  redeclare model M
    Real x = 2;
  end M;
end IllegalToProtected;
