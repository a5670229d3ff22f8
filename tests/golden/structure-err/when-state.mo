model Ball "An impact written as an equation of a state, where reinit(v, ...) is meant"
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    v = -0.8*pre(v);
  end when;
end Ball;
