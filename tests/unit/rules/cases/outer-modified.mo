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

// The modification is that of the inner one.
model LegalBoth
  model Room
    outer Real T0;
    Real T = T0;
  end Room;
  model Floor
    inner outer Real T0 = T0 + 2;
    Room room;
  end Floor;
  inner Real T0 = 293;
  Floor floor;
end LegalBoth;
