// The modifications of a constraining clause hold for what replaces the element, those of the
// outermost declaration that has one (section 7.3.2).
model ConstrainingClauses
  model A
    parameter Real x = 1;
  end A;
  model B
    parameter Real x = 1, y = 1;
  end B;
  model C
    parameter Real x = 1, y = 1, z = 1;
  end C;
  model D
    replaceable B b constrainedby A;
    replaceable model M = B constrainedby A;
    M m;
  end D;
  model E
    extends D(replaceable B b constrainedby B(x = 2, y = 3),
      redeclare replaceable model M = B constrainedby B(x = 5, y = 6));
  end E;
  model F
    extends E(redeclare C b, redeclare model M = C(y = 7));
  end F;
  model G
    extends E;
  end G;
  D d;
  F f;
  G g;
equation
  assert(d.b.x == 1 and d.m.x == 1, "d");
  assert(f.b.x == 2 and f.b.y == 3 and f.b.z == 1, "f.b");
  assert(f.m.x == 5 and f.m.y == 7, "f.m");
  assert(g.b.x == 2 and g.m.y == 6, "g");
end ConstrainingClauses;
