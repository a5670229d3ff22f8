model Legal
  type Gear = enumeration(neutral, first, second, maximum);
  parameter Gear g(start = Gear.first) = Gear.maximum;
end Legal;

model IllegalTwice
  type Gear = enumeration(neutral, first, neutral);
  parameter Gear g = Gear.first;
end IllegalTwice;

model IllegalAttribute
  type Gear = enumeration(neutral, min, max);
  parameter Gear g = Gear.neutral;
end IllegalAttribute;
