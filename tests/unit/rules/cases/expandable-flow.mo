model Legal
  connector Pin
    Real v = 1;
    flow Real i;
  end Pin;
  expandable connector Bus
    Real x = 1;
    Pin pin;
  end Bus;
  Bus bus;
end Legal;

model Illegal
  expandable connector Bus
    Real x = 1;
    flow Real i;
  end Bus;
  Bus bus;
end Illegal;
