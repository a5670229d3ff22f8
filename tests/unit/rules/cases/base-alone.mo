model Legal
  model Icon
    annotation(Icon());
  end Icon;
  connector Signal
    extends Real(start = 1);
    annotation(Icon());
  end Signal;
  model Stage
    Real x = time;
  end Stage;
  model Stages = Stage[3];
  model Chain
    extends Icon;
    Stages stages;
  end Chain;
  input Signal s = 1;
  Chain c;
end Legal;

model IllegalType
  connector Signal
    extends Real;
    Real more;
  end Signal;
  Signal s;
end IllegalType;

model IllegalArray
  model Stage
    Real x = time;
  end Stage;
  model Stages = Stage[3];
  model Chain
    extends Stages;
    Real y = 1;
  end Chain;
  Chain c;
end IllegalArray;

model IllegalBases
  model Stage
    Real x = time;
  end Stage;
  model Other
    Real z = 1;
  end Other;
  model Stages = Stage[3];
  model Chain
    extends Other;
    extends Stages;
  end Chain;
  Chain c;
end IllegalBases;
