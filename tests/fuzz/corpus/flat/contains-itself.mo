model Part
  Whole whole;
end Part;
model Whole
  Part part;
end Whole;
