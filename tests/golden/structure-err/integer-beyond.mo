model IntegerBeyond "94906267^2 = 9007199515875289 is odd and above 2^53"
  parameter Integer p = 94906267*94906267;
  Real r = p;
end IntegerBeyond;
