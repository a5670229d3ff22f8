model StartOfType "what a type says of a start value stays what a type says"
  type Temperature = Real(start = 288.15, unit = "K");
  Temperature a;
  Temperature b(start = 300);
  parameter Temperature p = 1;
equation
  a = 2*b + p;
  b = 3*p;
end StartOfType;
