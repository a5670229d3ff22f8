model Legal
  connector Signal = output Real;
  model Source
    Signal y if true;
    parameter Boolean more = false;
    Signal z if more;
    Real inside = 2;
  protected
    Real w = 3;
    Signal hidden = w;
  equation
    connect(hidden, y);
    connect(hidden, z);
  end Source;
  Source s(more = true);
  Source t if s.more;
end Legal;

model IllegalEquation
  Real x if true;
equation
  x = 2;
end IllegalEquation;

model IllegalInside
  model Part
    Real x = 1 if true;
  end Part;
  Part p;
  Real y = p.x;
end IllegalInside;

model IllegalCall
  model Part
    function f
      input Real u;
      output Real y = u;
    end f;
  end Part;
  Part p if true;
  Real y = p.f(1);
end IllegalCall;
