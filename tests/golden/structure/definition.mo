model Definition "a given motion: differentiated, but no constraint"
  Real s, x, v, F;
equation
  s = sin(time);
  x = s;
  der(x) = v;
  der(v) = F;
end Definition;
