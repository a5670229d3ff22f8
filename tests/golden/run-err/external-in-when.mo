model ExternalInWhen
  function count
    input Real u;
    output Real y;
    external "C";
  end count;
  Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation
  when sample(0.1, 0.1) then
    x = count(time);
    y = x - pre(x);
  end when;
end ExternalInWhen;
