model IntegerBeyond "2^53 + 1 is the first whole number that is no double"
  parameter Integer a = 9007199254740993;
  parameter Integer b = 9007199254740992;
end IntegerBeyond;
