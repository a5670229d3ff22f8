package Right
  operator record Angle
    Real deg;
    encapsulated operator function '+'
      import Right.Angle;
      input Angle a, b;
      output Angle c;
    algorithm
      c := Angle(a.deg + b.deg);
    end '+';
  end Angle;
  operator record Phase = Angle(deg(unit = "deg"));
  model Turn
    Phase p(deg = time), q = p + p;
  end Turn;
end Right;

model Legal
  Right.Turn t;
end Legal;

model IllegalLong
  operator record Phase
    extends Right.Angle;
    Real offset = 0;
  end Phase;
  Phase p(deg = time);
end IllegalLong;

model IllegalAround
  package More
    extends Right;
    constant Real full = 360;
  end More;
  parameter Real f = More.full;
end IllegalAround;
