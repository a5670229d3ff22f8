model ErrorInFunction "a function that gives up says why, in the words of its author"
  function error
    input String text;
    external "C" ModelicaError(text);
  end error;
  function inverse "of u^2, by bisection"
    input Real y;
    output Real u;
  protected
    Real low = 0, high = 10;
  algorithm
    if y > high^2 then
      error("Square root of " + String(y) + "\n  is not between 0 and 10");
    end if;
    while high - low > 1e-12 loop
      u := (low + high)/2;
      if u^2 > y then
        high := u;
      else
        low := u;
      end if;
    end while;
  end inverse;
  Real area = 200 + time;
  Real side = inverse(area);
end ErrorInFunction;
