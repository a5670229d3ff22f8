model EnumerationComparedWithNumber
  type Mode = enumeration(off, slow, fast);
  parameter Mode m = Mode.slow;
  Boolean b = m == 2;
end EnumerationComparedWithNumber;
