package Common
  record Ambient
    parameter Real T = 290;
  end Ambient;
  record Weather // not derived from Ambient, but it has all that Ambient has
    parameter Real T = 280;
    parameter Real p = 1e5;
  end Weather;
  type Day = enumeration(work, rest);
  type Night = enumeration(sleep, rest);
end Common;

model Legal
  model House
    parameter Integer n = 3;
    outer Common.Ambient ambient;
    outer Real wind[n];
    outer Real sun;
    Real T = ambient.T + wind[2];
  end House;
  inner Common.Weather ambient;
  inner Real wind[3] = {1, 2, 3};
  inner parameter Real sun = 1; // varies less than the outer one allows
  House house;
end Legal;

model IllegalType
  model House
    outer Integer storeys;
  end House;
  inner Real storeys = 2;
  House house;
end IllegalType;

model IllegalEnumeration
  model House
    outer parameter Common.Night time_;
  end House;
  inner parameter Common.Day time_ = Common.Day.rest;
  House house;
end IllegalEnumeration;

model IllegalElement
  model House
    outer Common.Weather ambient;
    Real T = ambient.T;
  end House;
  inner Common.Ambient ambient;
  House house;
end IllegalElement;

model IllegalSize
  model House
    outer Real wind[2];
    Real w = wind[1];
  end House;
  inner Real wind[3] = {1, 2, 3};
  House house;
end IllegalSize;

model IllegalDimensions
  model House
    outer Real wind;
  end House;
  inner Real wind[3] = {1, 2, 3};
  House house;
end IllegalDimensions;

model IllegalVariability
  model House
    outer parameter Real sun;
  end House;
  inner Real sun = time;
  House house;
end IllegalVariability;
