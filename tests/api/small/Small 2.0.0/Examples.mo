within Small;
package Examples
  model Decay "x = exp(-rate t)"
    Parts.Lag lag;
    annotation(experiment(StopTime = 2, Tolerance = 1e-8));
  end Decay;

  model Other "The same; its reference is another curve"
    extends Decay;
    annotation(experiment(StopTime = 2));
  end Other;

  model Wrong "More unknowns than equations"
    Real x, y;
  equation
    x = 1;
    annotation(experiment(StopTime = 1));
  end Wrong;

  model Endless "Turns 160 million times"
    Real a(start = 1, fixed = true), b(start = 0, fixed = true);
  equation
    der(a) = -1000*b;
    der(b) = 1000*a;
    annotation(experiment(StopTime = 1e6));
  end Endless;

  partial model Base "To be extended"
    Real x;
    annotation(experiment(StopTime = 1));
  end Base;

  model Silent "Does not say how it is to be run"
    Real x = time;
  end Silent;
end Examples;
