model Stops
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 3, "x is " + String(x) + " and too large");
  when x > 0.05 then
    terminate("far enough");
  end when;
end Stops;
