package Lib
  package Data
    constant Real x = 1;
  end Data;
  model Plant
    Real y = time;
    encapsulated model Sensor
      Real s = 1;
    end Sensor;
  end Plant;
end Lib;

model Legal
  import Lib.Plant;
  import Lib.Data.*;
  Plant p;
  Real z = x;
end Legal;

model IllegalElement
  import Lib.Plant.Sensor;
  Sensor s;
end IllegalElement;

model IllegalAll
  import Lib.Plant.*;
  Sensor s;
end IllegalAll;
