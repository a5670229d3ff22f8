model Legal
  model Gain
    function apply
      input Real x;
      output Real y;
    algorithm
      y := 2*x;
    end apply;
    Real dummy = 1;
  end Gain;
  Gain one, many[3];
  Real a = one.apply(time), b = many[2].apply(time);
end Legal;

model Illegal
  model Gain
    function apply
      input Real x;
      output Real y;
    algorithm
      y := 2*x;
    end apply;
    Real dummy = 1;
  end Gain;
  Gain many[3];
  Real a = many.apply(time);
end Illegal;
