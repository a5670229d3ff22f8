model SizeOfItself "the size of an input is what the function itself gives"
  function poly
    input Real c[poly({1, 2}, x)];
    input Real x;
    output Real y = c[1]*x;
  end poly;
  Real y = poly({1, 2}, time);
end SizeOfItself;
