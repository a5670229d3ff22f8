model Balloon "A ball of gas whose radius grows as 1 + t/2: it moves with v = r/(2 R), so that its mass stays 4/3 pi"
  constant Real pi = 3.14159265358979323846;
  Real R = 1 + time/2;
  extends Vincolo.Balance.Region(from = {0, 0, 0}, to = {R, pi, 2*pi}, place = {u*sin(v)*cos(w), u*sin(v)*sin(w), u*cos(v)},
    density = 1/R^3, velocity = {x, y, z}/(2*R), field = 1);
end Balloon;
