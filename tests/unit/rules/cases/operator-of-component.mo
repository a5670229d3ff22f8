package Numbers
  operator record Angle
    Real deg;
    encapsulated operator function '+'
      import Numbers.Angle;
      input Angle a, b;
      output Angle c;
    algorithm
      c := Angle(a.deg + b.deg);
    end '+';
  end Angle;
end Numbers;

model Legal
  Numbers.Angle a(deg = time), b(deg = 1);
  Numbers.Angle c = a + b, d = Numbers.Angle.'+'(a, b);
end Legal;

model Illegal
  Numbers.Angle a(deg = time), b(deg = 1);
  Numbers.Angle c = a.'+'(a, b);
end Illegal;
