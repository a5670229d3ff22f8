record Point
  Real x;
  Real y;
end Point;

model RecordFieldMisspelt
  Real r = (Point(x = time, z = 2)).x;
end RecordFieldMisspelt;
