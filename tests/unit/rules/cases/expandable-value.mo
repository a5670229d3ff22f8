model Legal
  connector RealOutput = output Real;
  expandable connector Bus
    parameter Real p = 1;
    Real x;
  end Bus;
  model Source
    RealOutput y = 2;
  end Source;
  Bus bus;
  Source s;
equation
  connect(s.y, bus.x);
end Legal;

model Illegal
  connector RealOutput = output Real;
  expandable connector Bus
    Real x = 1;
  end Bus;
  model Source
    RealOutput y = 2;
  end Source;
  Bus bus;
  Source s;
equation
  connect(s.y, bus.x);
end Illegal;
