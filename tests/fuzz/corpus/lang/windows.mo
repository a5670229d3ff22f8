within ;
model Windows "byte order mark,
CR LF"
  Real x; // comment
equation
  x = 1;
end Windows;
