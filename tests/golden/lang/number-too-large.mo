model M
  constant Real big = 1e400;
  constant Integer n = 99999999999999999999;
end M;
