package Media
  partial package Medium
    constant Real cp = 1;
    replaceable function h
      input Real T;
      output Real h;
    end h;
  end Medium;
  package Water
    extends Medium(cp = 4.2);
    redeclare function extends h
    algorithm
      h := cp*T;
    end h;
  end Water;
end Media;
model Tank
  replaceable package M = Media.Water constrainedby Media.Medium;
  Real T(start = 300, fixed = true);
equation
  der(M.cp*T) = -M.h(T)/100;
end Tank;
