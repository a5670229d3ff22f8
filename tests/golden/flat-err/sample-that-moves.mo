model SampleThatMoves
  Integer i(start = 0, fixed = true);
equation
  when sample(time, 0.1) then
    i = pre(i) + 1;
  end when;
end SampleThatMoves;
