// The stream prefix of a record holds for its parts (section 4.4.2.2). The mixture is taken by hand:
// (1*a + 3*b)/4 of what flows in (section 15.2).
model StreamRecord
  record Content
    Real h;
    Real c[2];
  end Content;
  connector Port
    flow Real m;
    Real p;
    stream Content s;
  end Port;
  model Source
    parameter Real m, h;
    Port port;
  equation
    port.m = -m;
    port.s.h = h;
    port.s.c = {h, 2*h};
  end Source;
  model Sink
    Port port;
  equation
    port.p = 1;
    port.s.h = 0;
    port.s.c = {0, 0};
  end Sink;
  Source a(m = 1, h = 10), b(m = 3, h = 2);
  Sink sink;
equation
  connect(a.port, sink.port);
  connect(b.port, sink.port);
  assert(abs(inStream(sink.port.s.h) - 4) < 1e-6, "h");
  assert(abs(inStream(sink.port.s.c[2]) - 8) < 1e-6, "c");
end StreamRecord;
