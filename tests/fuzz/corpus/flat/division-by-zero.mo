model M
  constant Integer n = 0;
  constant Real c = 1/n;
  Real x = c;
end M;
