function area
  input Real width, height;
  output Real a;
algorithm
  a := width*height;
end area;
model M
  Real x = area(width = 1, hight = 2);
end M;
