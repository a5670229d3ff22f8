function countdown
  input Integer n;
  output Integer y;
algorithm
  y := countdown(n - 1);
end countdown;

model FunctionCallsItself
  constant Integer y = countdown(3);
end FunctionCallsItself;
