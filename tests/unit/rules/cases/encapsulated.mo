package Data
  constant Real g = 9.81;
end Data;

model Legal
  constant Real g = 9.81;
  encapsulated model Fall
    import Data;
    model Step
      Real v = Data.g*time;
    end Step;
    Step step;
  end Fall;
  Fall fall;
end Legal;

model IllegalValue
  constant Real g = 9.81;
  encapsulated model Fall
    model Step
      Real v = g*time;
    end Step;
    Step step;
  end Fall;
  Fall fall;
end IllegalValue;

model IllegalClass
  type Speed = Real(unit = "m/s");
  encapsulated model Fall
    Speed v = time;
  end Fall;
  Fall fall;
end IllegalClass;

model IllegalFunction
  function twice
    input Real x;
    output Real y;
  algorithm
    y := 2*x;
  end twice;
  encapsulated model Fall
    Real v = twice(time);
  end Fall;
  Fall fall;
end IllegalFunction;
