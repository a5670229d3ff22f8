model Legal
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Part
    Pin p[2];
  end Part;
  parameter Integer n = 2;
  Part part;
equation
  connect(part.p[1], part.p[n]);
end Legal;

model Illegal
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Part
    Pin p[2];
  end Part;
  Integer n = if time < 1 then 1 else 2;
  Part part;
equation
  connect(part.p[1], part.p[n]);
end Illegal;
