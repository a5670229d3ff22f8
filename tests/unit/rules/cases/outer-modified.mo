model Legal
  model Room
    outer parameter Real T0;
    Real T = T0 + time;
  end Room;
  inner parameter Real T0(unit = "K") = 293;
  Room room, hall;
end Legal;

model IllegalValue
  model Room
    outer parameter Real T0 = 280;
    Real T = T0 + time;
  end Room;
  inner parameter Real T0 = 293;
  Room room;
end IllegalValue;

model IllegalFromOutside
  model Room
    outer parameter Real T0;
    Real T = T0 + time;
  end Room;
  inner parameter Real T0 = 293;
  Room room(T0(unit = "K"));
end IllegalFromOutside;
