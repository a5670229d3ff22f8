model Legal
  model Motor
    Real power = 2*torque;
  protected
    Real torque = time;
    function half
      input Real x;
      output Real y;
    algorithm
      y := x/2;
    end half;
  end Motor;
  model Loaded
    extends Motor;
    Real load = half(torque);
  end Loaded;
  Loaded m;
  Real p = m.power;
end Legal;

model IllegalComponent
  model Motor
  protected
    Real torque = time;
  end Motor;
  Motor m;
  Real t = m.torque;
end IllegalComponent;

// Elements inherited in a protected section are protected.
model IllegalInherited
  model Base
    Real x = time;
  end Base;
  model Derived
  protected
    extends Base;
  end Derived;
  Derived d;
  Real y = d.x;
end IllegalInherited;

model IllegalClass
  package Parts
  protected
    model Wheel
      Real w = time;
    end Wheel;
  end Parts;
  Parts.Wheel wheel;
end IllegalClass;

model IllegalFunction
  model Motor
  protected
    function half
      input Real x;
      output Real y;
    algorithm
      y := x/2;
    end half;
  end Motor;
  Motor m;
  Real h = m.half(time);
end IllegalFunction;
