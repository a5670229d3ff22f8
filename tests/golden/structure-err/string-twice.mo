model StringTwice
  String s, t;
equation
  s = "a";
  t = s;
  t = "b";
end StringTwice;
