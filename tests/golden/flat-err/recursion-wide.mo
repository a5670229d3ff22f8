function countdown
  input Integer n;
  output Integer y;
algorithm
  y := countdown(-n - n);
  y := y + countdown(-n - n - 1) + countdown(-4*n - 3);
end countdown;

model RecursionWide "a function that calls itself three times, and never ends"
  Integer y = countdown(3);
end RecursionWide;
