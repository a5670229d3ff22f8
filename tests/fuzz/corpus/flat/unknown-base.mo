model M
  extends Resistor;
end M;
