model M "a comment that never ends
  Real x;
equation
  x = 1;
end M;
