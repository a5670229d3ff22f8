model Legal
  replaceable model Load
    Real x = time;
  end Load;
  model Plain
    Real y = 1;
  end Plain;
  model System
    extends Plain;
  end System;
  System s;
  Load load;
end Legal;

model Illegal
  replaceable model Load
    Real x = time;
  end Load;
  model System
    extends Load;
  end System;
  System s;
end Illegal;

model IllegalPackage
  package Fluid
    model Bulk
      Real T = 300;
    end Bulk;
  end Fluid;
  model Tank
    replaceable package Medium = Fluid;
    model Content
      extends Medium.Bulk;
    end Content;
    Content c;
  end Tank;
  Tank tank;
end IllegalPackage;
