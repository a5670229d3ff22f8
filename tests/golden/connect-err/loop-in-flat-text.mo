// Flat text, which does not say of which components its equations are: two joints, of which one says what the other does.
model LoopInFlatText
  Real 'b1.x'(start = 0.3, fixed = true), 'b1.v'(start = 0, fixed = true), 'b2.y'(start = 0.3), 'b2.v';
  Real 'j1.a', 'j1.b', 'j1.f', 'j2.a', 'j2.b', 'j2.f';
equation
  der('b1.x') = 'b1.v'; der('b2.y') = 'b2.v';
  der('b1.v') = 'j1.f' + cos('j2.a')*'j2.f' - 2;
  der('b2.v') = -'j1.f' - cos('j2.b')*'j2.f';
  'j1.a' = 'b1.x'; 'j1.b' = 'b2.y'; 'j1.a' - 'j1.b' = 0;
  'j2.a' = 'b1.x'; 'j2.b' = 'b2.y'; sin('j2.a') - sin('j2.b') = 0;
end LoopInFlatText;
