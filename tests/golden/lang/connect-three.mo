model M
equation
  connect(a, b, c);
  connect(a + b, c);
end M;
