// A clause with a component that is not there is not there either: it says nothing of the bus.
model BusWithoutAConditional
  expandable connector Bus end Bus;
  connector In = input Real;
  connector Out = output Real;
  block Clock Out y; equation y = time; end Clock;
  block Sink In u; end Sink;
  parameter Boolean outside = false;
  In T if outside;
  Bus bus;
  Clock clock;
  Sink sink;
equation
  connect(T, bus.T);
  connect(bus.T, T);
  connect(clock.y, bus.y);
  connect(bus.y, sink.u);
  assert(sink.u == time, "the bus joins what is there");
end BusWithoutAConditional;
