model TwoMasses "Two masses and two springs; the first spring becomes a wall"
  model Chain
    parameter Real m1 = 1, m2 = 1, k1 = 1, k2 = 1;
    Real x1(start = 0, fixed = true), x2(start = 1, fixed = true);
    Real v1(start = 0, fixed = true), v2(start = 0, fixed = true);
    parameter Real p = (k2/m2 + (k1 + k2)/m1)/2, q = k1*k2/(m1*m2);
    parameter Real fast = -(p + sqrt(p^2 - q)) "s1^2", slow = q/fast "s2^2, free of cancellation";
  equation
    der(x1) = v1;
    der(x2) = v2;
    m1*der(v1) = -(k1 + k2)*x1 + k2*x2;
    m2*der(v2) = k2*x1 - k2*x2;
  end Chain;
  Chain k1(k1 = 1), k10(k1 = 10), k100(k1 = 100), k10000(k1 = 1e4);
  model Wall "k1 infinite: the equation of the first mass is x1 = 0"
    parameter Real m2 = 1, k2 = 1;
    Real x1, x2(start = 1, fixed = true), v2(start = 0, fixed = true);
  equation
    x1 = 0;
    der(x2) = v2;
    m2*der(v2) = k2*x1 - k2*x2;
  end Wall;
  Wall wall;
  annotation(experiment(StopTime = 15, Tolerance = 1e-9));
end TwoMasses;
