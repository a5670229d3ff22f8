model Legal
  type Angle
    extends Real;
    function equalityConstraint
      input Angle a, b;
      output Real residue[0];
    algorithm
      assert(abs(a - b) < 1, "angles differ");
    end equalityConstraint;
  end Angle;
  connector Pin
    Angle a;
    Real v;
    flow Real i;
    parameter Real p = 1;
    input Real u;
  end Pin;
  connector Signal = output Real;
  model M
    Pin pin(a = 1, v = 2, u = 3);
    Signal y = 4;
  equation
    Connections.root(pin.a);
  end M;
  M m;
end Legal;

model Illegal
  connector Pin
    Real v, w;
    flow Real i;
  end Pin;
  Pin pin;
end Illegal;

model IllegalShort
  connector Signal = Real;
  Signal y = 4;
end IllegalShort;

model IllegalOverdetermined
  type Angle
    extends Real;
    function equalityConstraint
      input Angle a, b;
      output Real residue[1];
    algorithm
      residue := {a - b};
    end equalityConstraint;
  end Angle;
  connector Pin
    Angle a;
    Real v;
    flow Real i;
  end Pin;
  Pin pin(a = 1, v = 2);
equation
  Connections.root(pin.a);
end IllegalOverdetermined;
