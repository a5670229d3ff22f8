model Legal
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  connector Plug
    Pin pin[2];
  end Plug;
  model Part
    Plug plug;
  end Part;
  Part a, b;
equation
  connect(a.plug.pin[1], b.plug.pin[2]);
  connect(a.plug.pin[2], b.plug.pin[1]);
end Legal;

model Illegal
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Part
    Pin p, n;
  end Part;
  model Box
    Part part;
  end Box;
  Box box;
equation
  connect(box.part.p, box.part.n);
end Illegal;
