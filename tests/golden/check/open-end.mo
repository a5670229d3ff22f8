// A spring whose end was forgotten is no error; the report says so.
model OpenEnd
  import Vincolo.Mechanics.Translational.*;
  Mass mass;
  Spring spring;
equation
  connect(mass.b, spring.a);
end OpenEnd;
