// Sizes left open are given by redeclaration, of a component that is not replaceable (section 7.3.3).
model OpenSizesRedeclared
  model A
    Real x[:, :] = ones(size(x, 1), size(x, 2));
  end A;
  A a(redeclare Real x[2, 3]);
equation
  assert(size(a.x, 1) == 2 and size(a.x, 2) == 3 and sum(a.x) == 6, "x");
end OpenSizesRedeclared;
