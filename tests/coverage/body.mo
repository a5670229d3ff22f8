model Body "A cone of 2 m height and 1 m radius whose tip is the origin: 2/3 pi, centre at 1.5, 3/10 and 3/5 m of inertia"
  constant Real pi = 3.14159265358979323846;
  parameter Vincolo.Rotations.Solid s = Vincolo.solid({r*cos(a), r*sin(a), z, 1} for z in 0:2, a in 0:2*pi, r in 0:z/2);
  Real m = s.m, c = s.c[3] "3/4 of the height";
  Real spin = s.J[3, 3] "3/10 m R^2", tumble = s.J[1, 1] "3/80 m (4 R^2 + h^2) about the centre";
end Body;
