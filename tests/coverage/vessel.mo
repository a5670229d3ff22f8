model Vessel "Oil in a tank that accelerates at 3 along x, its surface tilted by 3/g: rho Dv/Dt = rho f - grad p"
  parameter Real g = 9.81, a = 3;
  extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {1, 0.5, 0.4 - a*u/g}, density = 850, velocity = {a*time, 0, 0},
    pressure = density*(g*(0.4 - z) - a*x), force = {0, 0, -g}, potential = g*z);
end Vessel;
