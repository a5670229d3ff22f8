// A block is a model, too, and takes records; nothing else crosses.
model Legal
  record Data
    parameter Real gain = 2;
  end Data;
  block Amplifier
    extends Data;
    input Real u = time;
    output Real y = gain*u;
  end Amplifier;
  model Stage
    extends Amplifier;
  end Stage;
  connector Pin
    extends Data;
    Real v;
    flow Real i;
  end Pin;
  Stage stage;
  Pin pin(v = 1);
end Legal;

model IllegalBlock
  model Plant
    Real x = time;
  end Plant;
  block Controller
    extends Plant;
  end Controller;
  Controller c;
end IllegalBlock;

model IllegalPackage
  package Constants
    constant Real g = 9.81;
  end Constants;
  model Fall
    extends Constants;
    Real v = g*time;
  end Fall;
  Fall fall;
end IllegalPackage;

model IllegalShortClass
  function twice
    input Real x;
    output Real y;
  algorithm
    y := 2*x;
  end twice;
  class Again = twice;
  Real z = Again(time);
end IllegalShortClass;
