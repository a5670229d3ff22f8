model Legal
  model A
    replaceable parameter Real x = 1;
    constant Real c = 2;
  end A;
  A a(redeclare Real x = 3, c = 4);
end Legal;

model IllegalModifier
  model A
    replaceable constant Real x = 1;
  end A;
  A a(redeclare Real x = 2);
end IllegalModifier;

model IllegalElement
  model A
    replaceable constant Real x = 1;
  end A;
  extends A;
  redeclare Real x = 2;
end IllegalElement;
