model Legal
  connector RealInput = input Real;
  connector RealOutput = output Real;
  expandable connector Bus
  end Bus;
  model Source
    Bus bus;
    RealOutput y = 2;
  equation
    connect(y, bus.x);
  end Source;
  model Sink
    Bus bus;
    model Inner
      RealInput u;
    end Inner;
    Inner i;
  equation
    connect(i.u, bus.x);
  end Sink;
  Source s;
  Sink t;
equation
  connect(s.bus, t.bus);
end Legal;

model Illegal
  connector RealInput = input Real;
  expandable connector Bus
  end Bus;
  model Sink
    RealInput u = 1;
  end Sink;
  Bus bus;
  Sink t;
equation
  connect(t.u, bus.x);
end Illegal;
