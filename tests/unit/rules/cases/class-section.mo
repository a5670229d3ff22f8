model Legal
  record Point
    Real x, y;
  end Point;
  model Moving
    Point p;
  equation
    p.x = time;
    p.y = 2*time;
  end Moving;
  Moving m;
end Legal;

model IllegalRecord
  record Point
    Real x, y;
  equation
    x = time;
    y = 2*time;
  end Point;
  Point p;
end IllegalRecord;

model IllegalConnector
  connector Pin
    Real v;
    flow Real i;
  algorithm
    v := 1;
  end Pin;
  Pin p;
end IllegalConnector;

model IllegalInitial
  record Point
    Real x;
  initial equation
    x = 1;
  end Point;
  Point p;
equation
  der(p.x) = 1;
end IllegalInitial;
