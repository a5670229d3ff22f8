model ConnectedTypes
  connector A
    Real v;
    flow Real i;
  end A;
  connector B
    Integer v;
    flow Real i;
  end B;
  connector C
    input Real u;
    constant Real k = 1;
  end C;
  connector D
    Real u;
    constant Real k = 1;
    flow Real j;
  end D;
  connector E
    input Real u;
    parameter Real k = 1;
  end E;
  model M
    A a;
    B b;
    C c, c2;
    D d;
    E e;
  end M;
  M m;
equation
  connect(m.a, m.b);
  connect(m.c2, m.e);
end ConnectedTypes;
