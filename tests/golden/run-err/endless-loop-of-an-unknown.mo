model Bisection "the middle is never taken, so that the loop does not end: said at once, not at every value that is tried"
  function inverse "of u^2"
    input Real y;
    output Real u = 0;
  protected
    Real low = 0, high = 10;
  algorithm
    while high - low > 1e-12 loop
      if u^2 > y then
        high := u;
      else
        low := u;
      end if;
    end while;
  end inverse;
  Real area = 200 + inverse(area);
end Bisection;
