package P
  type Color = enumeration(red, green, blue);
  type Tone = Color;
end P;
model Enumerations
  type Local = enumeration(one, two);
  parameter P.Color c = P.Tone.green;
  parameter Local l = Local.two;
  Real w[P.Color] = {1, 2, 3};
  Real x = w[P.Color.blue];
  Boolean is[P.Color] = {k == c for k in P.Color};
  Integer i = Integer(c);
  String s = String(c);
  discrete P.Color now(start = P.Color.red, fixed = true);
  parameter StateSelect select = StateSelect.prefer;
  Real y(stateSelect = select, start = 1);
equation
  when time > 1 then
    now = P.Color.blue;
  end when;
  der(y) = if now == P.Color.red then 1 else 2;
end Enumerations;
