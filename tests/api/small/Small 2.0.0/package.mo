package Small "A library of examples, good and bad"
  annotation(version = "2.0.0", uses(Parts(version = "2.0.0")));
end Small;
