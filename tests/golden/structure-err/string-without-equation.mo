model StringWithoutEquation
  String s;
  Real x = time;
equation
  assert(x > -1, s);
end StringWithoutEquation;
