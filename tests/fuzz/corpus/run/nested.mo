model Nested
  model A
    parameter Real p = 1;
    model B
      parameter Real q = 2;
      Real x(start = q, fixed = true);
    equation
      der(x) = -x;
    end B;
    B b(q = p), c[2](q = {3, p});
  end A;
  A a(p = 5, b(q = 6)), d[2, 2](each p = 7);
end Nested;
