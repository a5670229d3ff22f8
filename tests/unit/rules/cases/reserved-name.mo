model Legal
  type Realm = Real;
  Realm 'Real' = time;
  Real real = 1;
end Legal;

model IllegalComponent
  Real Integer = time;
end IllegalComponent;

model IllegalClass
  class String
    parameter Real length = 1;
  end String;
  String s;
end IllegalClass;
