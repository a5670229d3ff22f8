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
  end Pin;
  Pin pin(a = 1, v = 2);
equation
  Connections.root(pin.a);
end Legal;

model IllegalAlgorithm
  extends Legal;
algorithm
  Connections.root(pin.a);
end IllegalAlgorithm;

model IllegalWhen
  extends Legal;
equation
  when time > 1 then
    Connections.potentialRoot(pin.a);
  end when;
end IllegalWhen;
