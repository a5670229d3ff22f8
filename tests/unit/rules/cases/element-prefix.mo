model Legal
  record Pair
    parameter Real a = 1;
    discrete Real b(start = 0);
  end Pair;
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  connector Signal
    input Real u;
  end Signal;
  Pair p;
  Pin pin;
  Signal s(u = 1);
equation
  pin.v = 0;
  when time > 1 then
    p.b = 2;
  end when;
end Legal;

model IllegalInput
  record Pair
    input Real a = time;
  end Pair;
  Pair p;
end IllegalInput;

model IllegalFlow
  record Pair
    flow Real a = time;
  end Pair;
  Pair p;
end IllegalFlow;

model IllegalOuter
  connector Pin
    outer Real ground;
    Real v;
    flow Real i;
  end Pin;
  inner Real ground = 0;
  Pin p;
equation
  p.v = p.ground;
end IllegalOuter;
