package Medium
  constant Real rho = 1;
end Medium;
package Water
  constant Real rho = 1000;
end Water;
model Tank
  package M = Medium;
  Real m = M.rho;
end Tank;
model Test
  Tank tank(redeclare packafe M = Water);
end Test;
