model Legal
  class Settings // no package by name, but by what it holds
    constant Real g = 9.81;
    type Mass = Real(unit = "kg");
  end Settings;
  model Plant
    Real x = time;
    encapsulated model Sensor
      parameter Real range = 1;
    end Sensor;
  end Plant;
  parameter Settings.Mass m = Settings.g;
  Plant.Sensor s;
end Legal;

model IllegalClass
  model Plant
    Real x = time;
    model Sensor
      parameter Real range = 1;
    end Sensor;
  end Plant;
  Plant.Sensor s;
end IllegalClass;

model IllegalConstant
  model Plant
    Real x = time;
    constant Real limit = 3;
  end Plant;
  parameter Real l = Plant.limit;
end IllegalConstant;
