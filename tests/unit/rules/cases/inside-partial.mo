model Legal
  partial package Medium
    constant Real cp = 1000;
    model Bulk
      parameter Real V = 1;
    end Bulk;
  end Medium;
  package Water
    extends Medium(cp = 4180);
  end Water;
  parameter Real c = Water.cp;
  Medium.Bulk bulk;
end Legal;

model Illegal
  partial package Medium
    constant Real cp = 1000;
  end Medium;
  parameter Real c = Medium.cp;
end Illegal;
