function speed
  input Real position;
  output Real v;
algorithm
  v := der(position);
end speed;

model FunctionWithDer
  Real v = speed(sin(time));
end FunctionWithDer;
