within A.B;
encapsulated package Classes "All kinds of classes"
  class C end C;
  partial model M "with a comment" + " in two parts" end M;
  record R Real x; end R;
  operator record Complex
    Real re, im;
    encapsulated operator 'constructor'
      function fromReal
        input Real re;
        output Complex result(re = re);
      algorithm
      end fromReal;
    end 'constructor';
    encapsulated operator function '+'
      input Complex a, b;
      output Complex c;
    algorithm
      c := Complex(a.re + b.re, a.im + b.im);
    end '+';
  end Complex;
  block B input Real u; output Real y; end B;
  connector K Real v; flow Real i; stream Real h; end K;
  expandable connector Bus end Bus;
  type Angle = Real(final quantity = "Angle", final unit = "rad", displayUnit = "deg") "an angle";
  type Vector = Real[3];
  type Empty = enumeration();
  type Any = enumeration(:);
  type Color = enumeration(red "R" annotation(Documentation(info = "x")), green, blue) "colors";
  connector In = input Real;
  connector Out = output Real[2](each start = 0) annotation(defaultComponentName = "y");
  pure function f
    input Real x;
    output Real y;
    external "C" y = c_f(x, 1) annotation(Library = "m");
    annotation(Inline = true);
  end f;
  impure function g
    external;
  end g;
  function h
    external "FORTRAN 77" h(1, {2}) ;
  end h;
  function hd = der(h, x, y) "partial derivative";
  function f2 = f(x = 3);
  package Q = R.S(redeclare model T = U) "short package";
  model extends M2(x = 1) "class extends"
    Real y;
  end M2;
  final model F end F;
protected
  package P
    package PP end PP;
  end P;
public
  constant Real pi = 3.14;
  annotation(version = "1.0", uses(Modelica(version = "4.0.0")));
end Classes;
