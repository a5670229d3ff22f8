package Common
  partial model Ambient
    Real T;
  end Ambient;
  model Weather
    extends Ambient(T = 290);
    Real wind = time;
  end Weather;
end Common;

model Legal
  model House
    outer Common.Ambient ambient;
    Real T = ambient.T;
  end House;
  inner Common.Weather ambient;
  House house;
end Legal;

model Illegal
  model House
    outer Common.Ambient ambient;
    Real draught = ambient.wind;
  end House;
  inner Common.Weather ambient;
  House house;
end Illegal;
