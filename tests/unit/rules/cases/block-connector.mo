model Legal
  connector Input = input Real;
  connector Bus
    input Real a;
    output Real b;
    parameter Real scale = 1;
  end Bus;
  block Gain
    Input u;
    Bus bus;
    output Real y = 2*u;
  equation
    bus.b = bus.a;
  end Gain;
  Gain g(u = time, bus(a = 1));
end Legal;

model Illegal
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  block Source
    Pin p;
  equation
    p.v = time;
  end Source;
  Source s;
end Illegal;
