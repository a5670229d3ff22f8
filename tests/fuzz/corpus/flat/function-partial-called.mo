partial function law
  input Real u;
  output Real y;
end law;

model FunctionPartialCalled
  Real y = law(time);
end FunctionPartialCalled;
