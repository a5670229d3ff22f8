model NotAFunction "what stands after 'function' is a number"
  function area
    input Integer n = 8;
    output Real s = 0;
  algorithm
    for i in area(function s(a = 3)) loop
      s := s + 1/n;
    end for;
  end area;
  Real b = area()*time;
end NotAFunction;
