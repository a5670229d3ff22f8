model DelayBoundThatMoves
  Real x = sin(time), longest = 2 + x;
  Real y = delay(x, 1, longest);
end DelayBoundThatMoves;
