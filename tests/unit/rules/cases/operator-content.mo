package Right
  operator record Angle
    Real deg;
    encapsulated operator '+'
      import Right.Angle;
      function add
        input Angle a, b;
        output Angle c;
      algorithm
        c := Angle(a.deg + b.deg);
      end add;
    end '+';
  end Angle;
end Right;

model Legal
  Right.Angle a(deg = time), b(deg = 1), c = a + b;
end Legal;

package Wrong
  operator record Angle
    Real deg;
    encapsulated operator '+'
      import Wrong.Angle;
      constant Real full = 360;
      function add
        input Angle a, b;
        output Angle c;
      algorithm
        c := Angle(a.deg + b.deg - full);
      end add;
    end '+';
  end Angle;
end Wrong;

model Illegal
  Wrong.Angle a(deg = time), b(deg = 1), c = a + b;
end Illegal;
