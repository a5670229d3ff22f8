model Strings
  parameter String name = "a" + String(3) + "\n";
  parameter Boolean same = name == "a3\n";
  Real x = if same then 1 else 2;
equation
  assert(time < 2, name);
end Strings;
