// A flow given by an equation of the model, where nothing is connected.
connector Flange
  Real s;
  flow Real f;
end Flange;

model Mass
  Flange a;
  Real v;
equation
  der(a.s) = v;
  2*der(v) = a.f;
end Mass;

model Pushed
  Mass m;
equation
  m.a.f = sin(time);
end Pushed;
