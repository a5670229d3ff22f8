model RangeThatMoves
  Integer x[3], y[3] = {1, 2, 3};
equation
  for i in y loop
    x[i] = y[i];
  end for;
end RangeThatMoves;
