model Legal
  record Point
    constant Real scale = 2;
    Real x;
  end Point;
  model Holder
  protected
    Point hidden(x = time);
  end Holder;
  Holder h;
end Legal;

model IllegalRecord
  record Point
    Real x;
  protected
    constant Real scale = 2;
  end Point;
  Point p(x = time);
end IllegalRecord;

model IllegalConnector
  connector Pin
    Real v;
    flow Real i;
  protected
    parameter Real limit = 10;
  end Pin;
  Pin p;
equation
  p.v = 0;
end IllegalConnector;
